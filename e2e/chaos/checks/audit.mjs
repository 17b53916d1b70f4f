import { isSwitchOfMode, violation } from './lookup.mjs';

/** I9: each transition has one audit entry, and the last entry matches the status of the run. */
export function everyTransitionIsAudited({ audit }, at) {
  const entries = Map.groupBy(
    audit.filter((entry) => entry.after !== null && entry.before !== entry.after),
    (entry) => entry.run,
  );
  return [...at.runs.values()].flatMap(({ id, marker, status }) => {
    const changes = (at.events.get(id) ?? []).filter(
      ({ type, data }) => type === 'execution.status_changed' && data.previous !== data.status,
    );
    const reported = changes.map(({ data }) => `${data.previous ?? ''}>${data.status}`);
    const audited = (entries.get(id) ?? []).map(({ before, after }) => `${before ?? ''}>${after}`);
    const faults = [];
    if (reported.toSorted().join() !== audited.toSorted().join())
      faults.push(`${marker} went ${reported.join(' ')}, but the audit trail has ${audited.join(' ')}`);
    if (reported.at(-1)?.split('>')[1] !== status)
      faults.push(`${marker} is ${status}, and its last change was ${reported.at(-1)}`);
    const broken = reported.find(
      (change, index) => index > 0 && change.split('>')[0] !== reported[index - 1].split('>')[1],
    );
    if (broken) faults.push(`${marker} went ${reported.join(' ')}, which is not a sequence`);
    return faults.map((text) => violation('I9', 'order', id, text));
  });
}

/** Actions without a status change: name, event, audit entry. */
const AUDITED_ACTIONS = [
  ['a decision', (e) => e.type === 'decision.made', (a) => a.action === 'execution.decide'],
  [
    'an approval',
    (e) => e.type === 'approval.decided' && e.data.decision === 'approved',
    (a) => a.action === 'execution.approve',
  ],
  [
    'a rejection',
    (e) => e.type === 'approval.decided' && e.data.decision === 'rejected',
    (a) => a.action === 'execution.reject',
  ],
  [
    'a resolution by a user',
    (e) => e.type === 'host.resolved' && e.data.user !== null,
    (a) => a.action === 'execution.resolve_host' && a.what !== 'check',
  ],
  [
    'a result found by a check',
    (e) => e.type === 'host.resolved' && e.data.user === null,
    (a) => a.action === 'execution.host_checked' && a.resolution !== null,
  ],
  ['a switch of mode', (e) => isSwitchOfMode(e), (a) => a.action === 'execution.switch_mode'],
  ['an admission', (e) => e.data.waitsFor === null, (a) => a.action === 'execution.admitted'],
];

/** I9: each action of a user has exactly one audit entry. */
export function everyActionIsAudited({ audit, actions }, at) {
  const entries = Map.groupBy(audit, (entry) => entry.run);
  const differingEntries = [...at.runs.keys()].flatMap((run) =>
    AUDITED_ACTIONS.flatMap(([words, isEvent, isEntry]) => {
      const [events, audited] = [(at.events.get(run) ?? []).filter(isEvent), (entries.get(run) ?? []).filter(isEntry)];
      if (events.length === audited.length) return [];
      return [
        violation(
          'I9',
          'order',
          run,
          `${at.say(run)}: ${words} has ${events.length} events but ${audited.length} audit entries`,
        ),
      ];
    }),
  );
  return [...differingEntries, ...findUnrequested(actions, at)];
}

/** Reports actions that are stored more often than they were requested. */
function findUnrequested(actions, at) {
  const requested = Map.groupBy(actions, ({ run, act, step = '' }) => `${run} ${act} ${step}`);
  const done = [...at.events].flatMap(([run, events]) =>
    events.flatMap(({ type, data }) => {
      if (type === 'decision.made') return [`${run} decide ${data.action} ${data.stepKey}`];
      return type === 'approval.decided' ? [`${run} ${data.decision === 'approved' ? 'approve' : 'reject'} `] : [];
    }),
  );
  return [...Map.groupBy(done, (action) => action)]
    .filter(([action, all]) => all.length > (requested.get(action)?.length ?? 0))
    .map(([action, all]) => {
      const count = requested.get(action)?.length ?? 0;
      return violation(
        'I9',
        'doubled',
        action.split(' ')[0],
        `${at.say(action)} was requested ${count} times and done ${all.length} times`,
      );
    });
}
