//! The layer that asks whether transitions end keeps the laws of systems, and loses nothing where all of them do.

use starwheel_base::cancel::Token;
use starwheel_model::returns::Returning;
use starwheel_model::{Model, ModelSystem};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_system::laws::{Purpose, hold, lose_nothing};

/// A transition of a process beside another one, as translations are written.
fn model(body: &str) -> Model {
    let text = format!(
        "chan in_p = [1] of {{ byte }}; byte n;
        active proctype p() {{ byte i; w: atomic {{ if :: in_p?i -> {body} fi }} }}
        active proctype q() {{ r: do :: in_p!3 :: n < 2 -> n++ :: n > 0 -> n-- od }}"
    );
    let mut model = compile_text(&text, &CompileOptions::default()).model.expect("a model");
    model.heed_returns();
    model
}

const COUNTS: &str = "_l0: if :: i > 0 -> i--; _back0: skip; goto _l0 :: else -> i = 0; goto w fi;";
const ROUND: &str = "_l0: if :: n == 2 -> i = 3 - i; _back0: skip; goto _l0 :: else -> i = 0; goto w fi;";

#[test]
fn where_all_transitions_end_nothing_is_lost() {
    let model = model(COUNTS);
    let inner = ModelSystem(&model);
    let outer = Returning::around(&inner, &model, true, Token::NEVER).expect("there is a jump back");
    assert!(hold(&outer, 1000).unwrap() > 10);
    assert!(lose_nothing(&inner, &outer, Purpose::default(), 1000).unwrap() > 10);
}

#[test]
fn one_that_does_not_end_is_an_error_wherever_it_may_begin() {
    let model = model(ROUND);
    let inner = ModelSystem(&model);
    let outer = Returning::around(&inner, &model, true, Token::NEVER).expect("there is a jump back");
    hold(&outer, 1000).unwrap();
    let why = lose_nothing(&inner, &outer, Purpose::default(), 1000).unwrap_err();
    assert!(why.contains("comes to the same"), "{why}");
}

#[test]
fn a_model_without_such_jumps_needs_no_layer() {
    let model = model("i = 0; goto w");
    assert!(Returning::around(&ModelSystem(&model), &model, true, Token::NEVER).is_none());
}
