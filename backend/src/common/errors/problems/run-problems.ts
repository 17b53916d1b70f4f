import type { ProblemKind } from './problem-kind.js';

export const RUN_PROBLEMS = {
  self_approval: {
    status: 403,
    title: 'Own run or own content',
    meaning:
      'You cannot approve this run: you started it, or you changed its plan, script or template since the last approved run here.',
    advice: 'Ask another approver.',
  },
  already_decided: {
    status: 409,
    title: 'Already approved',
    meaning: 'You have already approved this run.',
    advice: 'Nothing to do: the run waits for other approvers.',
  },
  run_pinned: {
    status: 409,
    title: 'Run pinned',
    meaning: 'The run is pinned, so it cannot be deleted.',
    advice: 'Unpin it, then delete it.',
  },
  unknown_results: {
    status: 409,
    title: 'Unknown results',
    meaning: 'The run holds hosts where the result of a command is unknown.',
    advice: 'Resolve the result on each of these hosts, then delete the run.',
  },
  confirmation_required: {
    status: 409,
    title: 'Confirmation required',
    meaning:
      'More than half of the finished runs, or of their output, would be deleted. `removal` contains the numbers.',
    advice: 'Review the preview of the rule, then send the same request with `confirm`.',
  },
  already_finished: {
    status: 409,
    title: 'Already finished',
    meaning: 'The run has ended, so it cannot be cancelled, paused or changed.',
    advice: 'Start the plan again, or rerun this run.',
  },
  too_many_schedules: {
    status: 409,
    title: 'Too many schedules',
    meaning: 'The tenant has reached its limit of schedules.',
    advice: 'Delete schedules that you no longer need.',
  },
  outside_run_window: {
    status: 409,
    title: 'Outside the run windows',
    meaning:
      'No run may begin in the environment now. `detail` gives the reason, and `nextOpensAt` the time when the next window opens.',
    advice: 'Wait until then. An admin can start with `windowOverride` and a reason. Dry runs are always allowed.',
  },
  not_held: {
    status: 409,
    title: 'Nothing to override',
    meaning: 'The run windows of the environment do not delay the run.',
    advice: 'Read the run again: it may have begun, or the window is open.',
  },
  digest_changed: {
    status: 409,
    title: 'Digest changed',
    meaning: 'The run would no longer do what the digest in the request covers. `differences` lists known differences.',
    advice: 'Review the run or make another dry run, then repeat the request with the new digest.',
  },
  hosts_changed: {
    status: 409,
    title: 'Servers changed',
    meaning: 'The connection settings of a server have changed since the run that you want to repeat exactly.',
    advice: 'Rerun with `snapshot: current`.',
  },
  hosts_gone: {
    status: 409,
    title: 'Servers gone',
    meaning: 'A server of the run that you want to repeat was deleted, disabled or moved to another environment.',
    advice: 'Restore the server, or rerun with `snapshot: current`.',
  },
  called_plan_missing: {
    status: 409,
    title: 'Called plan missing',
    meaning: 'A plan calls another plan that no longer exists, or that you cannot see.',
    advice: 'Choose another plan in the step, or ask a member who can see it.',
  },
  called_plan_changed: {
    status: 409,
    title: 'Called plan changed',
    meaning: 'A called plan has changed, and a step that calls it is no longer valid.',
    advice: 'Correct the step that calls it, and save the plan again.',
  },
  circular_call: {
    status: 409,
    title: 'Circular plan call',
    meaning: 'A plan calls itself, directly or through other plans.',
    advice: 'Remove one of the calls.',
  },
  list_not_usable: {
    status: 409,
    title: 'List not usable',
    meaning: 'A step loops over a list that is empty, secret, or not the same on all servers.',
    advice: 'Set the list in the start, the plan or the environment.',
  },
  too_many_steps: {
    status: 409,
    title: 'Too many steps',
    meaning: 'Including its called plans and loops, the plan has more steps than a run may have.',
    advice: 'Split the plan, or shorten the lists.',
  },
  library_missing: {
    status: 409,
    title: 'Script or template missing',
    meaning: 'A step of the plan uses a script or template that no longer exists.',
    advice: 'Choose another script or template in the plan.',
  },
  library_too_large: {
    status: 409,
    title: 'Scripts and templates too large',
    meaning: 'The scripts and templates of the run exceed the size limit for one run.',
    advice: 'Split the plan.',
  },
  missing_results: {
    status: 409,
    title: 'Results missing',
    meaning: 'Steps of the rerun need results that the earlier runs do not have for some hosts. `missing` lists them.',
    advice: 'Begin at an earlier step, choose other hosts, or send `acceptGaps`.',
  },
  mode_not_allowed: {
    status: 409,
    title: 'Mode not allowed',
    meaning: 'The plan or the environment does not allow this mode.',
    advice: 'Use one of the modes in `detail`.',
  },
  no_failed_hosts: {
    status: 409,
    title: 'No failed hosts',
    meaning: 'No host of the run failed, so there is no host to rerun.',
    advice: 'Rerun on all hosts.',
  },
  facts_missing: {
    status: 409,
    title: 'Facts missing',
    meaning:
      'A condition, command or file of the plan uses facts, but Runward has not read the facts of some hosts yet.',
    advice: 'Check the servers in `detail`, which reads their facts, or exclude them from the run.',
  },
  no_targets: {
    status: 409,
    title: 'No targets',
    meaning: 'No enabled server matches the targets, or no step has a host among them.',
    advice: 'Compare the tags of the servers with the selectors of plan, steps and start.',
  },
  no_unfinished_hosts: {
    status: 409,
    title: 'No unfinished hosts',
    meaning: 'Every host of the run has finished all of its steps.',
    advice: 'Rerun on all hosts.',
  },
  not_decided: {
    status: 409,
    title: 'No approval to withdraw',
    meaning: 'You have not approved this run.',
    advice: 'Nothing to do.',
  },
  not_finished: {
    status: 409,
    title: 'Not finished',
    meaning: 'The request needs a run that has ended.',
    advice: 'Wait for its end, answer its pause, or cancel it.',
  },
  not_possible_now: {
    status: 409,
    title: 'Not possible now',
    meaning: 'The current state or pause of the run does not allow this. `choices` lists what is possible.',
    advice: 'Read the run again and choose one of these.',
  },
  not_waiting: {
    status: 409,
    title: 'Not waiting',
    meaning: 'The run does not wait for a decision, or waits for a different one.',
    advice: 'Read the run again.',
  },
  nothing_to_resolve: {
    status: 409,
    title: 'Nothing to resolve',
    meaning: 'The result of this step on this host is known.',
    advice: 'Read the results again.',
  },
  token_ended: {
    status: 409,
    title: 'Token ended',
    meaning:
      'The API token that started the run was revoked, or its trust rule or service account has ended, before the run began. The run is being cancelled.',
    advice: 'Start the run again with a valid token.',
  },
  queue_full: {
    status: 409,
    title: 'Queue full',
    meaning:
      'The environment has reached its limit of waiting runs: for other runs, for their start time or for approval.',
    advice: 'Cancel runs that you no longer need, or start this one later.',
  },
  author_not_allowed: {
    status: 409,
    title: 'Content of members without rights here',
    meaning:
      'Members who may not run in this environment wrote content of this run that never ran here. `authors` lists them and the content.',
    advice:
      'Review the content. A person who may run here can then start with `acceptAuthors` from this answer. Programs and schedules cannot accept it.',
  },
  unknown_authors: {
    status: 409,
    title: 'Authors of git content unknown',
    meaning:
      'Git content of this run has commits whose authors match no member or could not be determined, and the environment refuses that (`unknownAuthors`).',
    advice:
      'Add members with these email addresses, ask a member to commit the change again, or ask an admin to set `unknownAuthors` to `show`.',
  },
  run_overlap: {
    status: 409,
    title: 'Overlapping run',
    meaning:
      'Another run holds one of the hosts, or the plan in this environment, or waits for it. `conflicts` lists the runs that you can see.',
    advice:
      'Send `onOverlap: queue` to wait in the queue, or wait for that run, or cancel it. If that run holds hosts with unknown results, resolve them.',
  },
  secrets_too_large: {
    status: 409,
    title: 'Secrets too large',
    meaning: 'The secrets of the environment or run exceed the size limit for masking.',
    advice: 'Store large texts in files on the hosts, or divide them among environments.',
  },
  too_many_targets: {
    status: 409,
    title: 'Too many targets',
    meaning: 'More servers match than one run may have.',
    advice: 'Narrow the targets.',
  },
  too_much_to_inherit: {
    status: 409,
    title: 'Too many results to inherit',
    meaning: 'The rerun would inherit more results or outputs of the earlier runs than a run may hold.',
    advice: 'Rerun on fewer hosts, or from the first step.',
  },
  variables_too_large: {
    status: 409,
    title: 'Variables too large',
    meaning: 'The variables of the server, or of all hosts of the run, exceed the size limit.',
    advice: 'Store large content in files on the hosts, or start on fewer hosts.',
  },
} as const satisfies Record<string, ProblemKind>;
