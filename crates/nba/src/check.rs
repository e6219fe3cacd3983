//! Answers a question with the engine it names, and follows the run that the engine finds before anybody sees it.

use starwheel_engine::{Monitor, Stop};

use crate::confirm::confirm_until;
use crate::lasso::Evidence;
use crate::net::Network;
use crate::question::{Answer, Counts, Emptiness, Engine, Question, Report, Stages};
use crate::watch::Watch;
use crate::{explicit, scc, split};

/// A search that has come to its end says so.
const EMPTY: Answer = Answer::Empty(Emptiness(()));

/// Looks for an accepting run of a network.
pub fn check(net: &Network, question: &Question, monitor: &dyn Monitor) -> Report {
    let stages = Stages::new(net, question.acceptance);
    let (mut counts, mut watch) = (Counts::default(), Watch::new(monitor, question.time));
    let answer = search(net, question, &stages, &mut counts, &mut watch).unwrap_or_else(Answer::Stopped);
    let answer = confirmed(net, question, answer, &mut watch);
    Report { answer, counts, seconds: watch.seconds() }
}

fn search(
    net: &Network,
    question: &Question,
    stages: &Stages,
    counts: &mut Counts,
    watch: &mut Watch,
) -> Result<Answer, Stop> {
    let evidence = match question.engine {
        Engine::Explicit => {
            let lasso = explicit::search(net, stages, question.memory, counts, watch)?;
            return Ok(lasso.map_or(EMPTY, Answer::Run));
        }
        Engine::Split => split::search(net, stages, counts, watch)?,
        Engine::Scc => scc::search(net, stages, counts, watch)?,
    };
    let Some(evidence) = evidence else { return Ok(EMPTY) };
    let run = Evidence::lasso(&evidence, net, stages, watch);
    let lost = || Stop::Internal("the run that was found could not be put together".into());
    run.ok_or_else(|| watch.why().unwrap_or_else(lost))
}

/// A run that is none is an error of ours, and no answer.
fn confirmed(net: &Network, question: &Question, answer: Answer, watch: &mut Watch) -> Answer {
    let Answer::Run(lasso) = &answer else { return answer };
    let found = confirm_until(net, question.acceptance, lasso, || watch.over());
    match (watch.why(), found) {
        (Some(stop), _) => Answer::Stopped(stop),
        (None, Ok(())) => answer,
        (None, Err(why)) => Answer::Stopped(Stop::Internal(format!("the run that was found is wrong: {why}"))),
    }
}
