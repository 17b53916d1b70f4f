import { isSwitchOfMode, violation } from './lookup.mjs';

/** I9: one audit entry for each transition, and the last one tells the status that the run has. */
export function everyTransitionIsAudited({ audit }, at) {
  const entries = Map.groupBy(
    audit.filter((entry) => entry.after !== null && entry.before !== entry.after),
    (entry) => entry.run,
  );
  return [...at.runs.values()].flatMap(({ id, marker, status }) => {
    const changes = (at.events.get(id) ?? []).filter(
      ({ type, data }) => type === 'execution.status_changed' && data.previous !== data.status,
    );
    const told = changes.map(({ data }) => `${data.previous ?? ''}>${data.status}`);
    const audited = (entries.get(id) ?? []).map(({ before, after }) => `${before ?? ''}>${after}`);
    const faults = [];
    if (told.toSorted().join() !== audited.toSorted().join())
      faults.push(`${marker} went ${told.join(' ')}, and the audit trail says ${audited.join(' ')}`);
    if (told.at(-1)?.split('>')[1] !== status)
      faults.push(`${marker} is ${status}, and its last change was ${told.at(-1)}`);
    const broken = told.find((change, index) => index > 0 && change.split('>')[0] !== told[index - 1].split('>')[1]);
    if (broken) faults.push(`${marker} went ${told.join(' ')}, which is no way`);
    return faults.map((text) => violation('I9', 'order', id, text));
  });
}

/** What people and the engine do beside changing the status: how an event tells it, and how the trail does. */
const DEEDS = [
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
    'a word on a host',
    (e) => e.type === 'host.resolved' && e.data.user !== null,
    (a) => a.action === 'execution.resolve_host' && a.what !== 'check',
  ],
  [
    'an end that was found',
    (e) => e.type === 'host.resolved' && e.data.user === null,
    (a) => a.action === 'execution.host_checked' && a.resolution !== null,
  ],
  ['a switch of mode', (e) => isSwitchOfMode(e), (a) => a.action === 'execution.switch_mode'],
  ['a turn', (e) => e.data.waitsFor === null, (a) => a.action === 'execution.admitted'],
];

/** I9: one audit entry for each thing that a person did to a run, and none that nobody did. */
export function everyDeedIsAudited({ audit, said }, at) {
  const entries = Map.groupBy(audit, (entry) => entry.run);
  const differing = [...at.runs.keys()].flatMap((run) =>
    DEEDS.flatMap(([words, isEvent, isEntry]) => {
      const [events, audited] = [(at.events.get(run) ?? []).filter(isEvent), (entries.get(run) ?? []).filter(isEntry)];
      if (events.length === audited.length) return [];
      return [
        violation(
          'I9',
          'order',
          run,
          `${at.say(run)}: ${words} happened ${events.length} times and is audited ${audited.length} times`,
        ),
      ];
    }),
  );
  return [...differing, ...unasked(said, at)];
}

/** What is stored was asked for, as often at least. */
function unasked(said, at) {
  const asked = Map.groupBy(said, ({ run, act, step = '' }) => `${run} ${act} ${step}`);
  const deeds = [...at.events].flatMap(([run, events]) =>
    events.flatMap(({ type, data }) => {
      if (type === 'decision.made') return [`${run} decide ${data.action} ${data.stepKey}`];
      return type === 'approval.decided' ? [`${run} ${data.decision === 'approved' ? 'approve' : 'reject'} `] : [];
    }),
  );
  return [...Map.groupBy(deeds, (deed) => deed)]
    .filter(([deed, all]) => all.length > (asked.get(deed)?.length ?? 0))
    .map(([deed, all]) => {
      const count = asked.get(deed)?.length ?? 0;
      return violation(
        'I9',
        'doubled',
        deed.split(' ')[0],
        `${at.say(deed)} was asked for ${count} times and done ${all.length} times`,
      );
    });
}
