import { describe, expect, it } from '@jest/globals';
import { mailContent } from '../channels/email.js';
import { ntfyMessage } from '../channels/ntfy.js';
import { slackMessage, slackText } from '../channels/slack.js';
import { teamsMessage } from '../channels/teams.js';
import { createMessage } from './message.js';
import type { FailureFacts, Notice, RunFacts } from './notice.js';
import { toOneLine, toOutputLine, truncateToBytes } from './plain-text.js';

const run: RunFacts = {
  planName: 'Deploy <web> & "api"',
  environmentName: 'Prodüktion',
  startedBy: 'Ada',
  startedAt: new Date('2026-03-14T02:00:00Z'),
  url: 'https://runward.example.org/executions/1',
  note: 'release\r\nBcc: all@example.org',
};
const failure: FailureFacts = {
  hostName: 'web-1',
  stepName: 'Restart',
  what: 'exit code 1',
  message: null,
  lastLines: ['one', 'two', 'a ``` b', '<b>@channel</b>', '\u001b[31mred', 'last'],
  hosts: 500,
};
const failed: Notice = { event: 'execution.failed', run, how: 'failed', reason: null, failure };
const until = new Date('2026-03-15T02:00:00Z');
const approval: Notice = {
  ...{ event: 'approval.requested', run, required: 2, given: 1, until, reason: null },
  ...{ approvers: ['Grace', 'Linus'], moreApprovers: 3 },
};
const valueOf = (notice: Notice, label: string) =>
  createMessage(notice).facts.find((fact) => fact.label === label)?.value;

describe('a message', () => {
  it('of a failed run contains plan, environment, requester, the first failure with host and step, and its last lines', () => {
    const message = createMessage(failed);
    expect(message.subject).toBe('Failed: Deploy <web> & "api" in Prodüktion');
    expect(valueOf(failed, 'Failed on')).toBe('web-1, and 499 more hosts');
    expect(valueOf(failed, 'Failed step')).toBe('Restart (exit code 1)');
    expect(valueOf(failed, 'Started by')).toBe('Ada, 2026-03-14 02:00 UTC');
    expect(message.lines).toEqual(['two', 'a ``` b', '<b>@channel</b>', '·[31mred', 'last']);
    expect(message.url).toBe(run.url);
  });

  it('of a run that waits for approval contains the approvers and the deadline', () => {
    expect(valueOf(approval, 'Who may approve')).toBe('Grace, Linus and 3 more');
    expect(valueOf(approval, 'Approvals so far')).toBe('1 of 2');
    expect(valueOf(approval, 'Until')).toBe('2026-03-15 02:00 UTC');
    expect(valueOf({ ...approval, approvers: [], moreApprovers: 0 }, 'Who may approve')).toContain('no member');
  });

  it('of a schedule that started no run contains reason, time and advice', () => {
    const notice: Notice = {
      ...{ event: 'schedule.failed', scheduleName: 'Nightly', planName: 'Deploy', environmentName: 'production' },
      ...{ ownerName: 'Ada', at: until, reason: 'Ada is disabled.', paused: true, url: 'https://r/schedules/1' },
    };
    const message = createMessage(notice);
    expect(message.subject).toBe('Schedule started no run: Nightly in production');
    expect(message.text).toBe(
      'The schedule "Nightly" started no run. Ada is disabled. It is paused until another member takes it over.',
    );
    expect(valueOf(notice, 'Time')).toBe('2026-03-15 02:00 UTC');
    const counts = [
      ['schedule.failed', 3],
      ['webhook.disabled', 1],
    ] as const;
    const summary = createMessage({ event: 'summary', ruleName: 'x', counts: counts.map(([a, b]) => [a, b]), url: '' });
    expect(summary.facts.map(({ label }) => label)).toEqual(['A schedule started no run', 'A webhook was disabled']);
  });

  it('of several schedules that missed their times names ten of them, with environments and times', () => {
    const notice: Notice = {
      ...{
        event: 'schedules_missed',
        count: 24,
        names: Array.from({ length: 14 }, (_, index) => `nightly-${index + 1}`),
      },
      ...{
        environmentNames: ['production', 'staging'],
        earliest: run.startedAt,
        latest: until,
        url: 'https://r/schedules',
      },
    };
    const message = createMessage(notice);
    expect([message.subject, message.url]).toEqual(['24 schedules started no run', 'https://r/schedules']);
    expect(valueOf(notice, 'Missed by')).toMatch(/^nightly-1, nightly-2, .*, nightly-10 and 14 more$/);
    expect(valueOf(notice, 'Where')).toBe('production, staging');
    expect(valueOf(notice, 'Times')).toBe('2026-03-14 02:00 UTC to 2026-03-15 02:00 UTC');
    expect(createMessage({ ...notice, count: 1, names: ['nightly'] }).text).toMatch(/^1 schedule started no run: /);
  });

  it("contains neither line breaks nor invisible characters from other people's texts", () => {
    expect(toOneLine('a\r\nb\u0000c\u2028d')).toBe('a b c d');
    expect(toOneLine('pay\u202etxt\u200b')).toBe('pay‹U+202E›txt‹U+200B›');
    expect(toOutputLine('  a\tb\u0007  ')).toBe('  a  b·');
    expect(toOneLine('😀'.repeat(200), 11)).toBe('😀😀😀😀😀…');
    const notices: Notice[] = [failed, approval, { event: 'test', ruleName: 'a\nb', sentBy: 'c\rd', url: run.url }];
    for (const notice of notices) expect(JSON.stringify(createMessage(notice))).not.toMatch(/\\[rnu]/);
  });

  it('counts omitted messages, by event', () => {
    const message = createMessage({
      event: 'summary',
      ruleName: 'On call',
      counts: [
        ['execution.failed', 30],
        ['execution.recovered', 7],
      ],
      url: 'x',
    });
    expect(message.subject).toBe('37 more messages of the rule On call');
    expect(message.facts).toEqual([
      { label: 'A run failed', value: '30' },
      { label: 'A run succeeds again', value: '7' },
    ]);
  });
});

describe('for Slack and compatible receivers', () => {
  it('escapes what Slack requires, and mentions no user', () => {
    expect(slackText('<!channel> & @here a@b')).toBe('&lt;!channel&gt; &amp; @\u200bhere a@\u200bb');
  });

  it('is a text with attachments, of which only the output is markup, in a fence that no line can end', () => {
    expect(slackMessage(createMessage(failed))).toEqual({
      text: 'Failed: Deploy &lt;web&gt; &amp; "api" in Prodüktion',
      mrkdwn: false,
      attachments: [
        {
          fallback: expect.stringContaining(run.url),
          color: '#c92a2a',
          title: 'Open the run',
          title_link: run.url,
          text: '"Deploy &lt;web&gt; &amp; "api"" in "Prodüktion" failed.',
          fields: expect.arrayContaining([{ title: 'Environment', value: 'Prodüktion', short: true }]),
          mrkdwn_in: [],
        },
        {
          fallback: '',
          color: '#c92a2a',
          text: '```\ntwo\na `\u200b`\u200b` b\n&lt;b&gt;@\u200bchannel&lt;/b&gt;\n·[31mred\nlast\n```',
          mrkdwn_in: ['text'],
        },
      ],
    });
  });
});

describe('for Teams', () => {
  it('is a message with one Adaptive Card whose texts contain no markup', () => {
    const body = teamsMessage(createMessage(failed)) as {
      type: string;
      attachments: { contentType: string; contentUrl: null; content: Record<string, unknown> }[];
    };
    expect(body.type).toBe('message');
    const [card] = body.attachments;
    expect(body.attachments).toHaveLength(1);
    expect(card?.contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(card?.content).toMatchObject({
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      actions: [{ type: 'Action.OpenUrl', title: 'Open the run', url: run.url }],
    });
    const blocks = card?.content.body as { type: string; inlines: { type: string; text: string }[] }[];
    // `TextBlock` and `FactSet` would interpret markup, so a plan's name could create a link.
    expect(new Set(blocks.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(blocks.flatMap(({ inlines }) => inlines.map(({ type }) => type)).every((type) => type === 'TextRun')).toBe(
      true,
    );
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(28 * 1024);
  });
});

describe('for ntfy', () => {
  it('is published as JSON with title, priority and link, in any alphabet', () => {
    expect(ntfyMessage(createMessage(failed), 'ops', 'id-1')).toEqual({
      topic: 'ops',
      title: 'Failed: Deploy <web> & "api" in Prodüktion',
      message: expect.stringContaining('Failed on: web-1, and 499 more hosts'),
      priority: 4,
      tags: ['rotating_light'],
      click: run.url,
      sequence_id: 'id-1',
    });
  });

  it('stays below the size at which servers turn it into an attachment', () => {
    const long: Notice = { ...failed, failure: { ...failure, lastLines: Array(5).fill('é'.repeat(2000)) } };
    const { message } = ntfyMessage(createMessage(long), 'ops', 'x') as { message: string };
    expect(Buffer.byteLength(message)).toBeLessThan(4096);
    expect(truncateToBytes('aé', 2)).not.toContain('\ufffd');
  });
});

describe('as mail', () => {
  it("has a text, and the same as HTML in which other people's texts are not markup", () => {
    const { subject, text, html } = mailContent(createMessage(failed), 'On "call"');
    expect(subject).toBe('[Runward] Failed: Deploy <web> & "api" in Prodüktion');
    expect(text).toContain('Failed step: Restart (exit code 1)\n');
    expect(text).toContain('\n    <b>@channel</b>\n');
    expect(text).toContain(`Open the run: ${run.url}\n`);
    expect(html).toContain('Deploy &lt;web&gt; &amp; &quot;api&quot;');
    expect(html).not.toContain('<b>');
    expect(html).not.toMatch(/<(img|script|link)/);
  });
});
