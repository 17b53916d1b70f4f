import type { ProblemKind } from './problem-kind.js';

/** Problems of plans and runs. */
export const RUN_PROBLEMS = {
  self_approval: {
    status: 403,
    title: 'Own run or own work',
    meaning:
      'The caller started the run, or saved a revision of its plan, or of a script or template of it, that has not run approved there, and the environment does not allow approving that.',
    advice: 'Let somebody else approve the run.',
  },
  already_decided: {
    status: 409,
    title: 'Already approved',
    meaning: 'The caller has approved this run already.',
    advice: 'Nothing is left to do; the run waits for others.',
  },
  run_pinned: {
    status: 409,
    title: 'Run pinned',
    meaning: 'Somebody pinned the run, so that it is kept.',
    advice: 'Unpin it, then delete it.',
  },
  unknown_results: {
    status: 409,
    title: 'Unknown results',
    meaning: 'The run holds hosts on which nobody knows what became of a command.',
    advice: 'Say what did on each of them, then delete the run.',
  },
  confirmation_required: {
    status: 409,
    title: 'Confirmation required',
    meaning: 'More than half of the finished runs, or of their output, would be deleted; `removal` says how much.',
    advice: 'Look at the preview of the rule; send the same with `confirm` to mean it.',
  },
  already_finished: {
    status: 409,
    title: 'Already finished',
    meaning: 'The run is over, so it can not be cancelled, paused or changed.',
    advice: 'Start the plan again, or rerun this run.',
  },
  too_many_schedules: {
    status: 409,
    title: 'Too many schedules',
    meaning: 'The tenant has as many schedules as it may have.',
    advice: 'Delete schedules that are not needed any more.',
  },
  outside_run_window: {
    status: 409,
    title: 'Outside of the run windows',
    meaning:
      'No run may begin in the environment at this moment; `detail` says why, and `nextOpensAt` when the next window opens.',
    advice: 'Wait until then. An admin may start with `windowOverride` and a reason; dry runs are always allowed.',
  },
  not_held: {
    status: 409,
    title: 'Nothing to override',
    meaning: 'The run windows of the environment do not hold the run back.',
    advice: 'Read the run again: it may have begun, or the window is open.',
  },
  digest_changed: {
    status: 409,
    title: 'Digest changed',
    meaning: 'What would run now is not what the digest in the request stands for; `differences` names what is known.',
    advice: 'Look at the run or at another dry run, then repeat the request with the new digest.',
  },
  hosts_changed: {
    status: 409,
    title: 'Servers changed',
    meaning: 'A server is reached in another way now than in the run that is to be repeated exactly.',
    advice: 'Rerun with `snapshot: current`.',
  },
  hosts_gone: {
    status: 409,
    title: 'Servers gone',
    meaning: 'A server of the run that is to be repeated was deleted, disabled or moved to another environment.',
    advice: 'Put it back, or rerun with `snapshot: current`.',
  },
  called_plan_missing: {
    status: 409,
    title: 'Called plan missing',
    meaning: 'A plan calls another one that does not exist any more, or that the caller cannot see.',
    advice: 'Choose another plan in the step, or ask somebody who sees it.',
  },
  called_plan_changed: {
    status: 409,
    title: 'Called plan changed',
    meaning: 'A plan that is called changed so that a call of it does not fit any more.',
    advice: 'Look at the step that calls it, and save the plan again.',
  },
  circular_call: {
    status: 409,
    title: 'Plans call one another in a circle',
    meaning: 'A plan calls itself, at once or by others.',
    advice: 'Take one of the calls out.',
  },
  list_not_usable: {
    status: 409,
    title: 'List not usable',
    meaning: 'A step goes through a list that has no items, is secret, or is not the same on all servers.',
    advice: 'Give the list in the start, the plan or the environment.',
  },
  too_many_steps: {
    status: 409,
    title: 'Too many steps',
    meaning:
      'With the plans that it calls and the lists that it goes through, the plan has more steps than a run may have.',
    advice: 'Split the plan, or shorten the lists.',
  },
  library_missing: {
    status: 409,
    title: 'Script or template missing',
    meaning: 'A step of the plan names a script or template that does not exist any more.',
    advice: 'Choose another one in the plan.',
  },
  library_too_large: {
    status: 409,
    title: 'Scripts and templates too large',
    meaning: 'The scripts and templates of one run are larger together than a run may carry.',
    advice: 'Split the plan.',
  },
  missing_results: {
    status: 409,
    title: 'Results missing',
    meaning:
      'Steps of the rerun look back at results that the runs before do not have for some hosts; `missing` names them.',
    advice: 'Begin at an earlier step, choose other hosts, or send `acceptGaps`.',
  },
  mode_not_allowed: {
    status: 409,
    title: 'Mode not allowed',
    meaning: 'The plan or the environment does not allow runs in this mode.',
    advice: 'Use one of the modes that `detail` names.',
  },
  no_failed_hosts: {
    status: 409,
    title: 'No failed hosts',
    meaning: 'No host of the run failed, so there is none to run it again on.',
    advice: 'Rerun on all hosts.',
  },
  facts_missing: {
    status: 409,
    title: 'Facts missing',
    meaning:
      'A condition, command or file of the plan uses facts of hosts, and some of these have told nothing about themselves yet.',
    advice: 'Check the servers that `detail` names, which reads their facts, or leave them out of the run.',
  },
  no_targets: {
    status: 409,
    title: 'No targets',
    meaning: 'No enabled server matches the targets, or no step has a host among them.',
    advice: "Look at the servers' tags and at the selectors of plan, steps and start.",
  },
  no_unfinished_hosts: {
    status: 409,
    title: 'No unfinished hosts',
    meaning: 'Every host of the run has done all of its steps.',
    advice: 'Rerun on all hosts.',
  },
  not_decided: {
    status: 409,
    title: 'Nothing to take back',
    meaning: 'The caller has not approved this run.',
    advice: 'Nothing is left to do.',
  },
  not_finished: {
    status: 409,
    title: 'Not finished',
    meaning: 'The request needs a run that is over.',
    advice: 'Wait for its end, answer its pause, or cancel it.',
  },
  not_possible_now: {
    status: 409,
    title: 'Not possible now',
    meaning: 'The run is in a state, or in another pause, in which this can not be done; `choices` names what can.',
    advice: 'Read the run again and choose anew.',
  },
  not_waiting: {
    status: 409,
    title: 'Not waiting',
    meaning: 'The run waits for nobody, or for something else than the request answers.',
    advice: 'Read the run again.',
  },
  nothing_to_resolve: {
    status: 409,
    title: 'Nothing to resolve',
    meaning: 'The result of this step on this host is known.',
    advice: 'Read the results again.',
  },
  queue_full: {
    status: 409,
    title: 'Queue full',
    meaning: 'As many runs wait in the environment as may: for others to end, for their time or for approval.',
    advice: 'Cancel runs that are not needed any more, or start this one when fewer wait.',
  },
  author_not_allowed: {
    status: 409,
    title: 'Content of members without rights here',
    meaning:
      'Members who may not run in the environment wrote a part of what would run, and it has not run there yet; `authors` names them and what they wrote.',
    advice:
      'Review it. A person who may run there then starts it with `acceptAuthors` of this answer. Programs and schedules can not accept it.',
  },
  unknown_authors: {
    status: 409,
    title: 'Authors of git content unknown',
    meaning:
      'Git content that would run has commits of authors that no member is known by, or whose authors could not be determined, and the environment refuses that (`unknownAuthors`).',
    advice:
      'Have members with these e-mail addresses added, have a member commit the change again, or ask an admin to set `unknownAuthors` to `show`.',
  },
  run_overlap: {
    status: 409,
    title: 'Overlapping run',
    meaning:
      'Another run holds one of the hosts, or the plan in this environment, or waits for it; `conflicts` names what the caller may see.',
    advice:
      'Start it with `onOverlap: queue` to wait in line, or wait for that run or cancel it. One that holds hosts with unknown results has to be resolved.',
  },
  secrets_too_large: {
    status: 409,
    title: 'Secrets too large',
    meaning: 'The secrets of the environment or of the run are longer together than masking has memory for.',
    advice: 'Keep large texts in files on the hosts, or divide them among environments.',
  },
  too_many_targets: {
    status: 409,
    title: 'Too many targets',
    meaning: 'More servers match than one run may have.',
    advice: 'Narrow the targets.',
  },
  too_much_to_inherit: {
    status: 409,
    title: 'Too much to take over',
    meaning: 'The rerun would take over more results or outputs of the runs before than a run may hold.',
    advice: 'Rerun on fewer hosts, or from the first step.',
  },
  variables_too_large: {
    status: 409,
    title: 'Variables too large',
    meaning: 'The variables of the server, or those of all hosts of the run, are longer together than is kept.',
    advice: 'Keep large content in files on the hosts, or start on fewer hosts.',
  },
} as const satisfies Record<string, ProblemKind>;
