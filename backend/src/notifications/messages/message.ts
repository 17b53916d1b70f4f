import type { FailureFacts, Notice, RunFacts } from './notice.js';
import { NOTIFICATION_EVENTS } from './notification-events.js';
import { toOneLine, toOutputLine, listSome, utcTime } from './plain-text.js';

const MAX_LINES = 5;

/** Content of a message for all channels. Its texts contain no control characters and are not escaped. */
export interface Message {
  subject: string;
  text: string;
  facts: readonly { label: string; value: string }[];
  lines: readonly string[];
  url: string;
  linkText: string;
  mood: 'bad' | 'good' | 'asks' | 'neutral';
}

export function createMessage(notice: Notice): Message {
  switch (notice.event) {
    case 'approval.requested':
      return {
        ...createRunMessage(notice.run, 'Waits for approval', 'asks'),
        text: joinSentences(
          `${toOneLine(notice.run.startedBy)} wants to run ${toPlanText(notice.run)}. Nothing runs before it is approved.`,
          notice.reason,
        ),
        facts: toRunFactRows(notice.run, [
          ['Who may approve', approversText(notice)],
          ['Approvals so far', `${notice.given} of ${notice.required}`],
          ['Until', utcTime(notice.until)],
        ]),
      };
    case 'decision.requested':
      return {
        ...createRunMessage(notice.run, 'Waits for a decision', 'asks'),
        text: joinSentences(`${toPlanText(notice.run)} ${notice.why}.`, notice.text),
        facts: toRunFactRows(notice.run, [
          ...(notice.stepName === null ? [] : [['Step', toOneLine(notice.stepName)] as Fact]),
          ...failureFacts(notice.failure),
          ['Until', utcTime(notice.until)],
        ]),
        lines: toLastLines(notice.failure),
      };
    case 'execution.failed':
    case 'execution.partially_succeeded':
      return {
        ...createRunMessage(
          notice.run,
          notice.event === 'execution.failed' ? 'Failed' : 'Succeeded on some hosts only',
          'bad',
        ),
        text: joinSentences(`${toPlanText(notice.run)} ${notice.how}.`, notice.reason),
        facts: toRunFactRows(notice.run, failureFacts(notice.failure)),
        lines: toLastLines(notice.failure),
      };
    case 'execution.recovered':
      return {
        ...createRunMessage(notice.run, 'Succeeds again', 'good'),
        text: `${toPlanText(notice.run)} succeeded for the first time since it failed${notice.failedBefore ? ` on ${utcTime(notice.failedBefore)}` : ''}.`,
        facts: toRunFactRows(notice.run, []),
      };
    case 'execution.results_unknown':
      return {
        ...createRunMessage(notice.run, 'Unknown results', 'bad'),
        text: `${toPlanText(notice.run)} has ended, but the result of a command is unknown on some hosts. They accept no other run until a person resolves the result.`,
        facts: toRunFactRows(notice.run, [['Hosts', listSome(notice.hosts, notice.moreHosts)]]),
      };
    case 'execution.rejected_or_expired':
      return {
        ...createRunMessage(notice.run, notice.how === 'was rejected' ? 'Rejected' : 'Expired', 'neutral'),
        text: joinSentences(`${toPlanText(notice.run)} ${notice.how}.`, notice.reason),
        facts: toRunFactRows(notice.run, []),
      };
    case 'schedule.failed': {
      const { scheduleName, planName, environmentName, ownerName, at, reason, paused } = notice;
      const own = `The schedule "${toOneLine(scheduleName, 100)}" started no run.`;
      return {
        subject: `Schedule started no run: ${toOneLine(scheduleName, 100)} in ${toOneLine(environmentName, 100)}`,
        text: [
          joinSentences(own, reason),
          ...(paused ? ['It is paused until another member takes it over.'] : []),
        ].join(' '),
        facts: toFactRows([
          ['Plan', toOneLine(planName, 100)],
          ['Environment', toOneLine(environmentName, 100)],
          ['Time', utcTime(at)],
          ['Runs with the rights of', toOneLine(ownerName, 100)],
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the schedule', mood: 'bad' },
      };
    }
    case 'schedules_missed': {
      const { count, names, environmentNames, earliest, latest } = notice;
      const subject = count === 1 ? '1 schedule started no run' : `${count} schedules started no run`;
      return {
        subject,
        text: `${subject}: no worker was running at their times. Schedules that catch up missed times are not included.`,
        facts: toFactRows([
          ['Missed by', listSome(names, count - names.length)],
          ['Where', listSome(environmentNames)],
          ['Times', earliest < latest ? `${utcTime(earliest)} to ${utcTime(latest)}` : utcTime(earliest)],
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the schedules', mood: 'bad' },
      };
    }
    case 'webhook.disabled': {
      const { webhookName, ownerName, reason } = notice;
      const name = toOneLine(webhookName, 100);
      return {
        subject: `Webhook disabled: ${name}`,
        text: `The service has disabled the webhook "${name}". ${toOneLine(reason, 500)} No events are stored for it until a member enables it.`,
        facts: toFactRows([['Belongs to', toOneLine(ownerName, 100)]]),
        ...{ lines: [], url: notice.url, linkText: 'Open the webhook', mood: 'bad' },
      };
    }
    case 'servers_left': {
      const { what, by, environmentName, count, names, countsUntil } = notice;
      const name = toOneLine(environmentName, 100);
      const servers = count === 1 ? '1 server' : `${count} servers`;
      return {
        subject: `Protection of ${name}: ${DEPARTED_SERVERS_SUBJECTS[what]}`,
        text: `${toOneLine(by, 100)} ${DEPARTED_SERVERS_TEXTS[what](servers)} "${name}".`,
        facts: toFactRows([
          ['Server names', listSome(names, count - names.length)],
          ...(what === 'servers_left' && countsUntil
            ? [['Hosts stay protected until', utcTime(countsUntil)] satisfies Fact]
            : []),
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the environment' },
        mood: what === 'server_release_overridden' ? 'bad' : 'neutral',
      };
    }
    case 'environment.protection_changed': {
      const { what, by, requestedBy, environmentName, reason, weakened, effectiveAt } = notice;
      const name = toOneLine(environmentName, 100);
      return {
        subject: `Protection of ${name}: ${PROTECTION_CHANGE_SUBJECTS[what]}`,
        text: `${toOneLine(by, 100)} ${PROTECTION_CHANGE_TEXTS[what]} of "${name}".`,
        facts: toFactRows([
          ['Requested by', toOneLine(requestedBy, 100)],
          ['Reason', toOneLine(reason, 500)],
          ...(weakened.length > 0 ? [['Weakens', weakened.join(', ')] satisfies Fact] : []),
          ...(effectiveAt && what === 'requested'
            ? [['Needs no second person from', utcTime(effectiveAt)] satisfies Fact]
            : []),
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the environment' },
        mood: what === 'overridden' ? 'bad' : 'neutral',
      };
    }
    case 'summary':
      return createSummaryMessage(notice);
    case 'test':
      return {
        subject: `[Test] ${toOneLine(notice.ruleName, 100)}`,
        text: `This is a test of the notification rule "${toOneLine(notice.ruleName, 100)}", sent by ${toOneLine(notice.sentBy, 100)}. Nothing has happened.`,
        facts: [],
        lines: [],
        url: notice.url,
        linkText: 'Open the rules',
        mood: 'neutral',
      };
  }
}

type Fact = [label: string, value: string];

function createRunMessage(run: RunFacts, what: string, mood: Message['mood']) {
  const subject = `${what}: ${toOneLine(run.planName, 100)} in ${toOneLine(run.environmentName, 100)}`;
  return { subject, mood, lines: [] as readonly string[], url: run.url, linkText: 'Open the run' };
}

const toPlanText = ({ planName, environmentName }: RunFacts): string =>
  `"${toOneLine(planName, 100)}" in "${toOneLine(environmentName, 100)}"`;

/** Joins a fixed sentence and a text that someone else wrote. */
const joinSentences = (own: string, other: string | null): string => (other ? `${own} ${toOneLine(other, 500)}` : own);

const toRunFactRows = (run: RunFacts, own: readonly Fact[]): Message['facts'] =>
  toFactRows([
    ['Plan', toOneLine(run.planName, 100)] as Fact,
    ['Environment', toOneLine(run.environmentName, 100)] as Fact,
    ...own,
    ['Started by', `${toOneLine(run.startedBy, 100)}, ${utcTime(run.startedAt)}`] as Fact,
    ...(run.note ? [['Note', toOneLine(run.note, 300)] as Fact] : []),
  ]);

const DEPARTED_SERVERS_SUBJECTS = {
  servers_left: 'servers left',
  server_released: 'host released',
  server_release_overridden: 'host released by emergency override',
  server_kept: 'host kept protected',
} as const;
const DEPARTED_SERVERS_TEXTS = {
  servers_left: (servers: string) => `moved or deleted ${servers}, or changed their address, in`,
  server_released: () => 'released the host of a server that left',
  server_release_overridden: () =>
    'used an emergency override, without a second person, to release the host of a server that left',
  server_kept: () => 'keeps protecting the host of a server that left',
} as const;
const PROTECTION_CHANGE_SUBJECTS = {
  requested: 'change requested',
  agreed: 'weakened',
  rejected: 'change rejected or withdrawn',
  overridden: 'emergency override',
} as const;
const PROTECTION_CHANGE_TEXTS = {
  requested: 'requested a change that weakens the protection',
  agreed: 'agreed to a change that weakens the protection',
  rejected: 'rejected or withdrew a change that weakens the protection',
  overridden: 'used an emergency override, without a second person, to weaken the protection',
} as const;

const toFactRows = (facts: readonly Fact[]): Message['facts'] => facts.map(([label, value]) => ({ label, value }));

function failureFacts(failure: FailureFacts | null): Fact[] {
  if (!failure) return [];
  const others = failure.hosts - 1;
  const more = others > 0 ? `, and ${others} more host${others === 1 ? '' : 's'}` : '';
  const why = failure.message ? `: ${toOneLine(failure.message, 300)}` : '';
  const where = `${toOneLine(failure.hostName, 100)}${more}`;
  return [
    ['Failed on', where],
    ['Failed step', `${toOneLine(failure.stepName, 100)} (${failure.what})${why}`],
  ];
}

const toLastLines = (failure: FailureFacts | null): string[] =>
  (failure?.lastLines ?? []).slice(-MAX_LINES).map((line) => toOutputLine(line));

const approversText = ({ approvers, moreApprovers }: Extract<Notice, { event: 'approval.requested' }>): string =>
  approvers.length > 0
    ? listSome(approvers, moreApprovers)
    : 'no member: ask an admin to give a member the grant "approve"';

function createSummaryMessage({ ruleName, counts, url }: Extract<Notice, { event: 'summary' }>): Message {
  const count = counts.reduce((sum, [, each]) => sum + each, 0);
  return {
    subject: `${count} more message${count === 1 ? '' : 's'} of the rule ${toOneLine(ruleName, 100)}`,
    text: `The rule "${toOneLine(ruleName, 100)}" exceeded its limit of messages in the last hour. These were omitted:`,
    facts: counts.map(([event, each]) => ({
      label: `${NOTIFICATION_EVENTS[event].subject} ${NOTIFICATION_EVENTS[event].words}`,
      value: String(each),
    })),
    lines: [],
    url,
    linkText: 'Open the runs',
    mood: 'neutral',
  };
}
