// Drives the page of `replay --html` from within: scrubs it back and forth and compares what it shows with what the run says.
// The result is an attribute of the body, which `chromium --dump-dom` prints.
(() => {
  const wrong = [], check = (what, holds) => { if (!holds) wrong.push(what); };
  const key = k => dispatchEvent(new KeyboardEvent("keydown", { key: k, cancelable: true }));
  const text = id => document.getElementById(id).textContent;
  const bare = s => s.replace(/\s+/g, "");
  const ready = +document.body.dataset.ready, last = N ? D.frames[N - 1].n : 0;

  check("it begins at the end", at === N && text("where").startsWith("step " + last + " of " + last));
  check("it needs nothing from elsewhere", performance.getEntriesByType("resource").length === 0);
  check("the statement is marked", document.querySelectorAll("#source mark.now").length > 0);
  key("Home");
  check("Home", at === 0 && text("where").startsWith("start of"));
  check("nothing is marked at the start", !document.querySelector("#source mark.now") && !document.querySelector(".step.here"));
  check("what comes next is marked", document.querySelectorAll("#source mark.next").length > 0);
  key("ArrowRight");
  check("one step on", at >= 1 && document.querySelectorAll(".step.here").length === 1);
  key("ArrowLeft");
  check("and back", at === 0);
  key("PageDown");
  check("twenty on", at === Math.min(20, N));
  key("End");
  check("End", at === N);

  // Every step, against values that are put together from the beginning: a long run in leaps.
  const values = new Map(), leap = Math.max(1, Math.floor(N / 150));
  for (const [o, n, x] of D.first) values.set(o + "\0" + n, x);
  let marks = 0, shownValues = 0;
  for (let n = 0; n <= N; n++) {
    if (n > 0) for (const [o, m, x] of D.frames[n - 1].c) values.set(o + "\0" + m, x);
    if (n % leap !== 0 && n !== N) continue;
    go(n);
    for (const row of document.querySelectorAll("#values tr, #queues tr, #truths tr")) {
      const [name, value] = [...row.children].map(c => c.textContent);
      if (value === undefined) continue;
      const cut = name.lastIndexOf("):"), owner = cut < 0 ? "" : name.slice(0, cut + 1), own = cut < 0 ? name : name.slice(cut + 2);
      const known = values.get(owner + "\0" + own), queue = values.get("channel\0" + name), truth = values.get("formula\0" + name);
      check("step " + n + ": " + name, known === value || truth === value || queue === value || (queue === "" && value === "empty"));
      shownValues++;
    }
    const mark = document.querySelector("#source mark.now"), f = n > 0 ? D.frames[n - 1] : null;
    if (mark && f && bare(mark.textContent) === bare(f.s)) marks++;
    check("step " + n + ": a process each", document.querySelectorAll("#people tr").length === living(n).length);
  }
  check("values are shown", shownValues > 0);
  check("marks are the statements", marks > 0);
  const slider = document.getElementById("at");
  slider.value = Math.floor(N / 2);
  slider.dispatchEvent(new Event("input"));
  check("the slider", at === Math.floor(N / 2));
  const row = document.querySelector(".step");
  row.click();
  check("a click on a step", at === +row.dataset.i);
  const few = rows.length;
  document.getElementById("all").click();
  check("joins and counting, too", rows.length === N && few <= N);
  check("moves are drawn", document.querySelectorAll("#chart circle").length > 0);
  go(N);
  if (D.cycle === N) check("a stop is told", text("where").includes("stays here for ever"));
  else if (D.cycle !== null) check("a cycle is told", text("where").includes("repeats for ever"));
  check("nobody waits who goes on", D.cycle !== null || WANTED.stuck || !document.querySelector("#people .bad"));
  if (D.cycle !== null && D.cycle < N) {
    const movers = new Set(D.frames.slice(D.cycle).map(f => f.p)), waiting = [...document.querySelectorAll("#people tr")];
    waiting.forEach((row, i) => check("who moves in the cycle goes on", !movers.has(living(N)[i][0]) || !row.querySelector(".bad")));
  }
  if (D.cycle === null && WANTED.stuck) check("who waits", document.querySelectorAll("#people .bad").length >= WANTED.stuck);
  check("so many steps", N >= WANTED.steps);
  check("steps as in the text", last === WANTED.told);
  document.body.dataset.result = wrong.length ? "WRONG: " + wrong.slice(0, 5).join("; ") : "all well";
  document.body.dataset.loaded = ready;
})();
