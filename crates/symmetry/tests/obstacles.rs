//! What tells processes apart is found at its line; members that are named are kept apart, and the others are not.

mod common;

use common::read;
use starwheel_symmetry::infer;

/// The blocks of the only family, as sizes, and the lines and messages of obstacles.
fn found(text: &str) -> (Vec<usize>, Vec<(u32, String)>) {
    let read = read(text, &[]);
    let found = infer(&read.model, None);
    let sizes = found.symmetry.iter().flat_map(|s| &s.families).flat_map(|f| f.blocks.iter().map(Vec::len));
    let mut sizes: Vec<usize> = sizes.collect();
    sizes.sort_unstable();
    (sizes, found.obstacles.iter().map(|o| (read.line(o.span), o.message.clone())).collect())
}

/// Nothing is interchangeable, and the first obstacle is at this line and says this.
fn refused(text: &str, line: u32, says: &str) {
    let (sizes, obstacles) = found(text);
    assert!(sizes.is_empty(), "{sizes:?}: {text}");
    let first = obstacles.first().unwrap_or_else(|| panic!("no obstacle: {text}"));
    assert!(first.1.contains(says), "{obstacles:?}");
    assert_eq!(first.0, line, "{obstacles:?}");
}

#[test]
fn models_that_walk_the_members_in_order_are_refused_at_that_line() {
    for (name, line, says) in [("initproto", "j++", "(j+1)"), ("base1", "to++", "(to+1)")] {
        let read = common::model(name, &[]);
        let found = infer(&read.model, None);
        assert!(found.symmetry.is_none(), "{name}");
        let at = read.map.files()[0].text.lines().position(|l| l.contains(line)).unwrap() as u32 + 1;
        let obstacle = &found.obstacles[0];
        assert!(obstacle.message.contains(says), "{name}: {obstacle:?}");
        // The first use of `j++` in the text is not the one that is reported, if there are several.
        let reported = read.line(obstacle.span);
        let text = read.map.files()[0].text.lines().nth(reported as usize - 1).unwrap().to_string();
        assert!(reported >= at && text.contains(line), "{name}: {reported} {text}");
    }
    let read = common::model("base2", &[]);
    assert!(infer(&read.model, None).symmetry.is_none(), "one variable has several meanings");
}

#[test]
fn what_orders_members_is_refused() {
    let with = |body: &str| {
        format!(
            "byte owner = 9;\nchan c = [3] of {{ byte }};\nproctype P(byte me)\n{{ byte other = 9;\nend: do\n:: {body}\nod }}\n\
             init {{ atomic {{ run P(0); run P(1); run P(2) }} }}\n"
        )
    };
    refused(&with("me < other -> owner = me"), 6, "has an order");
    refused(&with("owner = me + 1"), 6, "is calculated");
    refused(&with("c!!me"), 6, "orders messages");
    refused(&with("me -> skip"), 6, "where members differ");
    refused(&with("me < 2 -> skip"), 6, "where members differ");
    refused(&with("run P(4)"), 6, "is started");
    let (sizes, _) = found(&with("owner = me; other = owner; c!me; c?other; owner == me && other != 9"));
    assert_eq!(sizes, [3]);
    let (sizes, _) = found(&with("owner < 3 -> owner = 200"));
    assert_eq!(sizes, [3], "a comparison in which members agree");
}

#[test]
fn a_member_that_is_named_is_kept_apart() {
    let with = |global: &str, body: &str| {
        format!(
            "{global}\nproctype P(byte me)\n{{\nend: do\n:: {body}\nod }}\n\
             init {{ atomic {{ run P(0); run P(1); run P(2); run P(3) }} }}\n"
        )
    };
    let (sizes, obstacles) = found(&with("byte x;", "me == 0 -> x = 1"));
    assert_eq!(sizes, [1, 3]);
    assert_eq!(obstacles[0].0, 5, "{obstacles:?}");
    let (sizes, obstacles) = found(&with("byte owner;", "owner == me -> skip"));
    assert_eq!(sizes, [1, 3], "0 is a member");
    assert!(obstacles[0].1.contains("owner") && obstacles[0].0 == 1, "{obstacles:?}");
    let (sizes, _) = found(&with("byte owner = 4;", "owner == me -> skip"));
    assert_eq!(sizes, [4]);
    let (sizes, _) = found(&with("bool b[4];", "b[0] && b[1] && b[2] && b[3] -> b[me] = 0"));
    assert_eq!(sizes, [4], "all of them are asked about");
    let (sizes, _) = found(&with("bool b[4];", "b[0] && b[1] -> b[me] = 0"));
    assert_eq!(sizes, [2, 2]);
}

#[test]
fn processes_that_come_and_go_are_refused() {
    refused("active [2] proctype P()\n{ skip }", 2, "come to its end");
    refused(
        "proctype P(byte me)\n{ skip; end: do :: true od }\ninit\n{ run P(0);\n run P(1) }",
        1,
        "start in different ways",
    );
    // States tell it although nobody asks.
    refused("bit g;\nactive [2] proctype P()\n{ g = 1; do\n:: skip od;\ng = _last\n}", 5, "_last");
    refused("bit last;\nactive [2] proctype P()\n{ end: do\n:: _last == 0 -> last = 1\nod }", 4, "_last");
    let (sizes, _) = found("active [3] proctype P() { end: do :: true od }");
    assert_eq!(sizes, [3]);
    let (sizes, _) = found(
        "byte who = 9; active [3] proctype P() { end: do :: who == 9 -> who = _pid :: who == _pid -> who = 9 od }",
    );
    assert_eq!(sizes, [3], "by number");
    refused("byte x[3];\nactive [3] proctype P()\n{ end: do\n:: x[(_pid+1)%3] = 1\nod }", 4, "the number of a process");
}

#[test]
fn channels_go_with_their_members() {
    let (sizes, obstacles) = found(
        "chan to[3] = [1] of { byte }; chan all = [3] of { byte, chan };\n\
         proctype P(byte me) { byte m = 9; end: do :: all!me,to[me] :: to[me]?m; m = 9 od }\n\
         active proctype Server() { byte who = 9; chan c; end: do :: all?who,c -> c!who; who = 9 od }\n\
         init { atomic { run P(0); run P(1); run P(2) } }",
    );
    assert_eq!(sizes, [3], "{obstacles:?}");
    let (sizes, obstacles) = found(
        "chan hub = [2] of { chan };\n\
         active [3] proctype P() { chan mine = [1] of { bit }; end: do :: hub!mine :: mine?_ od }\n\
         active proctype Q() { chan c; end: do :: hub?c -> c!1 od }",
    );
    assert_eq!(sizes, [3], "{obstacles:?}");
}

#[test]
fn priorities_are_refused_where_they_are_given() {
    let with = |start: &str, body: &str| {
        format!(
            "byte x;\nproctype P(byte me)\n{{ end: do\n:: {body}\nod }}\ninit {{ atomic {{\n{start};\nrun P(1) }} }}\n"
        )
    };
    refused(&with("run P(0) priority 3", "x = 1"), 7, "priorities");
    refused(&with("run P(0)", "set_priority(_pid, 2)"), 4, "priorities");
    refused("active [2] proctype P() priority 5\n{ end: do :: true od }", 1, "priorities");
}

#[test]
fn timers_are_numbers_that_go_with_their_owners() {
    let with = |body: &str| {
        format!(
            "#include \"dtime.h\"\ntimer t[3] = OFF; byte x;\nproctype P(byte me)\n{{ timer own = OFF;\nend: do\n:: {body}\nod }}\n\
             init {{ atomic {{ run P(0); run P(1); run P(2) }} }}\n"
        )
    };
    for body in ["set(t[me], 2); expire(t[me])", "set(own, 1) :: expire(own) -> reset(own)", "set(own, 2); x == 0"] {
        assert_eq!(found(&with(body)).0, [3], "{body}");
    }
    assert_eq!(found(&with("set(t[0], 2) :: expire(t[me])")).0, [1, 2], "the timer of one of them");
    refused(&with("set(own, me)"), 6, "in the timer");
}

#[test]
fn what_does_not_fit_is_refused_where_it_is_declared() {
    let with = |global: &str, body: &str| {
        format!(
            "byte x;\n{global}\nproctype P(byte me)\n{{\nend: do\n:: {body}\nod }}\n\
             init {{ atomic {{ run P(1); run P(2); run P(3) }} }}\n"
        )
    };
    refused(&with("bit who;", "who = me"), 2, "");
    refused(&with("bool seen[3];", "seen[me] = 1"), 2, "no element for each member");
    refused(&with("short who = 9;", "who = me"), 2, "different types");
    let large = "int owner = -1;\nproctype P(int me)\n{\nend: do\n:: owner = me\nod }\ninit { atomic { run P(1000); run P(1001) } }\n";
    refused(large, 1, "above 255");
}
