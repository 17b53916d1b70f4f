import type { FailureFacts, Notice, RunFacts } from './notice.js';
import { NOTIFICATION_EVENT_WORDS, subjectOf } from './notification-events.js';
import { oneLine, outputLine, listSome, utcTime } from './plain-text.js';

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

export function messageOf(notice: Notice): Message {
  switch (notice.event) {
    case 'approval_requested':
      return {
        ...about(notice.run, 'Waits for approval', 'asks'),
        text: sentences(
          `${oneLine(notice.run.startedBy)} wants to run ${planOf(notice.run)}. Nothing runs before it is approved.`,
          notice.reason,
        ),
        facts: facts(notice.run, [
          ['Who may approve', approversText(notice)],
          ['Approvals so far', `${notice.given} of ${notice.required}`],
          ['Until', utcTime(notice.until)],
        ]),
      };
    case 'decision_requested':
      return {
        ...about(notice.run, 'Waits for a decision', 'asks'),
        text: sentences(`${planOf(notice.run)} ${notice.why}.`, notice.text),
        facts: facts(notice.run, [
          ...(notice.stepName === null ? [] : [['Step', oneLine(notice.stepName)] as Fact]),
          ...failureFacts(notice.failure),
          ['Until', utcTime(notice.until)],
        ]),
        lines: linesOf(notice.failure),
      };
    case 'failed':
    case 'partially_succeeded':
      return {
        ...about(notice.run, notice.event === 'failed' ? 'Failed' : 'Succeeded on some hosts only', 'bad'),
        text: sentences(`${planOf(notice.run)} ${notice.how}.`, notice.reason),
        facts: facts(notice.run, failureFacts(notice.failure)),
        lines: linesOf(notice.failure),
      };
    case 'recovered':
      return {
        ...about(notice.run, 'Succeeds again', 'good'),
        text: `${planOf(notice.run)} succeeded for the first time since it failed${notice.failedBefore ? ` on ${utcTime(notice.failedBefore)}` : ''}.`,
        facts: facts(notice.run, []),
      };
    case 'unknown_results':
      return {
        ...about(notice.run, 'Unknown results', 'bad'),
        text: `${planOf(notice.run)} has ended, but the result of a command is unknown on some hosts. They accept no other run until a person resolves the result.`,
        facts: facts(notice.run, [['Hosts', listSome(notice.hosts, notice.moreHosts)]]),
      };
    case 'rejected_or_expired':
      return {
        ...about(notice.run, notice.how === 'was rejected' ? 'Rejected' : 'Expired', 'neutral'),
        text: sentences(`${planOf(notice.run)} ${notice.how}.`, notice.reason),
        facts: facts(notice.run, []),
      };
    case 'schedule_failed': {
      const { scheduleName, planName, environmentName, ownerName, at, reason, paused } = notice;
      const own = `The schedule "${oneLine(scheduleName, 100)}" started no run.`;
      return {
        subject: `Schedule started no run: ${oneLine(scheduleName, 100)} in ${oneLine(environmentName, 100)}`,
        text: [sentences(own, reason), ...(paused ? ['It is paused until another member takes it over.'] : [])].join(
          ' ',
        ),
        facts: rows([
          ['Plan', oneLine(planName, 100)],
          ['Environment', oneLine(environmentName, 100)],
          ['Time', utcTime(at)],
          ['Runs with the rights of', oneLine(ownerName, 100)],
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
        facts: rows([
          ['Missed by', listSome(names, count - names.length)],
          ['Where', listSome(environmentNames)],
          ['Times', earliest < latest ? `${utcTime(earliest)} to ${utcTime(latest)}` : utcTime(earliest)],
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the schedules', mood: 'bad' },
      };
    }
    case 'webhook_disabled': {
      const { webhookName, ownerName, reason } = notice;
      const name = oneLine(webhookName, 100);
      return {
        subject: `Webhook disabled: ${name}`,
        text: `The service has disabled the webhook "${name}". ${oneLine(reason, 500)} No events are stored for it until a member enables it.`,
        facts: rows([['Belongs to', oneLine(ownerName, 100)]]),
        ...{ lines: [], url: notice.url, linkText: 'Open the webhook', mood: 'bad' },
      };
    }
    case 'servers_left': {
      const { what, by, environmentName, count, names, countsUntil } = notice;
      const name = oneLine(environmentName, 100);
      const servers = count === 1 ? '1 server' : `${count} servers`;
      return {
        subject: `Protection of ${name}: ${SERVERS_LEFT_WORDS[what]}`,
        text: `${oneLine(by, 100)} ${SERVERS_LEFT_TEXTS[what](servers)} "${name}".`,
        facts: rows([
          ['Server names', listSome(names, count - names.length)],
          ...(what === 'servers_left' && countsUntil
            ? [['Hosts stay protected until', utcTime(countsUntil)] satisfies Fact]
            : []),
        ]),
        ...{ lines: [], url: notice.url, linkText: 'Open the environment' },
        mood: what === 'server_release_overridden' ? 'bad' : 'neutral',
      };
    }
    case 'protection_changed': {
      const { what, by, requestedBy, environmentName, reason, weakened, effectiveAt } = notice;
      const name = oneLine(environmentName, 100);
      return {
        subject: `Protection of ${name}: ${PROTECTION_WORDS[what]}`,
        text: `${oneLine(by, 100)} ${PROTECTION_TEXTS[what]} of "${name}".`,
        facts: rows([
          ['Requested by', oneLine(requestedBy, 100)],
          ['Reason', oneLine(reason, 500)],
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
      return summaryOf(notice);
    case 'test':
      return {
        subject: `[Test] ${oneLine(notice.ruleName, 100)}`,
        text: `This is a test of the notification rule "${oneLine(notice.ruleName, 100)}", sent by ${oneLine(notice.sentBy, 100)}. Nothing has happened.`,
        facts: [],
        lines: [],
        url: notice.url,
        linkText: 'Open the rules',
        mood: 'neutral',
      };
  }
}

type Fact = [label: string, value: string];

function about(run: RunFacts, what: string, mood: Message['mood']) {
  const subject = `${what}: ${oneLine(run.planName, 100)} in ${oneLine(run.environmentName, 100)}`;
  return { subject, mood, lines: [] as readonly string[], url: run.url, linkText: 'Open the run' };
}

const planOf = ({ planName, environmentName }: RunFacts): string =>
  `"${oneLine(planName, 100)}" in "${oneLine(environmentName, 100)}"`;

/** Joins a fixed sentence and a text that someone else wrote. */
const sentences = (own: string, other: string | null): string => (other ? `${own} ${oneLine(other, 500)}` : own);

const facts = (run: RunFacts, own: readonly Fact[]): Message['facts'] =>
  rows([
    ['Plan', oneLine(run.planName, 100)] as Fact,
    ['Environment', oneLine(run.environmentName, 100)] as Fact,
    ...own,
    ['Started by', `${oneLine(run.startedBy, 100)}, ${utcTime(run.startedAt)}`] as Fact,
    ...(run.note ? [['Note', oneLine(run.note, 300)] as Fact] : []),
  ]);

const SERVERS_LEFT_WORDS = {
  servers_left: 'servers left',
  server_released: 'host released',
  server_release_overridden: 'host released by emergency override',
  server_kept: 'host kept protected',
} as const;
const SERVERS_LEFT_TEXTS = {
  servers_left: (servers: string) => `moved or deleted ${servers}, or changed their address, in`,
  server_released: () => 'released the host of a server that left',
  server_release_overridden: () =>
    'used an emergency override, without a second person, to release the host of a server that left',
  server_kept: () => 'keeps protecting the host of a server that left',
} as const;
const PROTECTION_WORDS = {
  requested: 'change requested',
  agreed: 'weakened',
  rejected: 'change rejected or withdrawn',
  overridden: 'emergency override',
} as const;
const PROTECTION_TEXTS = {
  requested: 'requested a change that weakens the protection',
  agreed: 'agreed to a change that weakens the protection',
  rejected: 'rejected or withdrew a change that weakens the protection',
  overridden: 'used an emergency override, without a second person, to weaken the protection',
} as const;

const rows = (facts: readonly Fact[]): Message['facts'] => facts.map(([label, value]) => ({ label, value }));

function failureFacts(failure: FailureFacts | null): Fact[] {
  if (!failure) return [];
  const others = failure.hosts - 1;
  const more = others > 0 ? `, and ${others} more host${others === 1 ? '' : 's'}` : '';
  const why = failure.message ? `: ${oneLine(failure.message, 300)}` : '';
  const where = `${oneLine(failure.hostName, 100)}${more}`;
  return [
    ['Failed on', where],
    ['Failed step', `${oneLine(failure.stepName, 100)} (${failure.what})${why}`],
  ];
}

const linesOf = (failure: FailureFacts | null): string[] =>
  (failure?.lastLines ?? []).slice(-MAX_LINES).map((line) => outputLine(line));

const approversText = ({ approvers, moreApprovers }: Extract<Notice, { event: 'approval_requested' }>): string =>
  approvers.length > 0
    ? listSome(approvers, moreApprovers)
    : 'no member: ask an admin to give a member the grant "approve"';

function summaryOf({ ruleName, counts, url }: Extract<Notice, { event: 'summary' }>): Message {
  const count = counts.reduce((sum, [, each]) => sum + each, 0);
  return {
    subject: `${count} more message${count === 1 ? '' : 's'} of the rule ${oneLine(ruleName, 100)}`,
    text: `The rule "${oneLine(ruleName, 100)}" exceeded its limit of messages in the last hour. These were omitted:`,
    facts: counts.map(([event, each]) => ({
      label: `${subjectOf(event)} ${NOTIFICATION_EVENT_WORDS[event]}`,
      value: String(each),
    })),
    lines: [],
    url,
    linkText: 'Open the runs',
    mood: 'neutral',
  };
}
