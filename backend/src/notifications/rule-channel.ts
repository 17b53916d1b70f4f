import { invalidRequest } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { isId } from '../common/ids.js';
import { parseOutgoingUrl, OutgoingRequestError } from '../common/network/outgoing-request.js';
import { isMailAddress } from '../common/settings/smtp-settings.js';
import type { ChannelType, StoredChannel } from './messages/channel.js';
import type { NotificationChannelRequest } from './notification-rules.dto.js';

export interface RequestedChannel {
  channelType: ChannelType;
  channel: StoredChannel;
  /** Secret to encrypt; null: none; undefined: keep the stored one. */
  secret: string | null | undefined;
}

export type KnownChannel = Pick<RequestedChannel, 'channelType' | 'channel'>;

const FIELDS_BY_CHANNEL: Readonly<Record<ChannelType, readonly (keyof NotificationChannelRequest)[]>> = {
  email: ['to'],
  slack: ['url'],
  teams: ['url'],
  ntfy: ['url', 'topic', 'token'],
};

/**
 * Validates the channel of a request. A secret belongs to its receiver: another type or another ntfy server removes it,
 * unless the request contains a new one.
 * @param known stored channel; null: none yet
 * @throws Problem 400
 */
export function requireValidChannel(request: NotificationChannelRequest, known: KnownChannel | null): RequestedChannel {
  const before = known?.channelType === request.type ? known : null;
  const faults = foreignFieldProblems(request);
  const requested = validateChannel(request, before, faults);
  if (faults.length > 0 || requested === null) throw invalidRequest(faults);
  return { channelType: request.type, ...requested };
}

const fault = (field: string, code: ProblemItem['code'], message: string): ProblemItem => ({
  path: `/channel/${field}`,
  code,
  message,
});

const foreignFieldProblems = (request: NotificationChannelRequest): ProblemItem[] =>
  (['to', 'url', 'topic', 'token'] as const)
    .filter((field) => request[field] !== undefined && !FIELDS_BY_CHANNEL[request.type].includes(field))
    .map((field) =>
      fault(
        field,
        'not_applicable',
        `A channel of type ${request.type} has no ${field}. It has ${FIELDS_BY_CHANNEL[request.type].join(', ')}.`,
      ),
    );

type ChannelWithSecret = Pick<RequestedChannel, 'channel' | 'secret'>;

function validateChannel(
  request: NotificationChannelRequest,
  before: KnownChannel | null,
  faults: ProblemItem[],
): ChannelWithSecret | null {
  switch (request.type) {
    case 'email':
      return validateMailChannel(request.to ?? before?.channel.to, faults);
    case 'slack':
    case 'teams':
      return validateWebhookChannel(request.url, before, faults);
    case 'ntfy':
      return validateNtfyChannel(request, before, faults);
  }
}

function validateMailChannel(to: readonly string[] | undefined, faults: ProblemItem[]): ChannelWithSecret | null {
  if (to === undefined) {
    faults.push(fault('to', 'required', 'Send at least one recipient: member IDs or email addresses.'));
    return null;
  }
  const seen = new Set<string>();
  for (const [index, each] of to.entries()) {
    if (!isId(each) && !isMailAddress(each))
      faults.push(
        fault(
          `to/${index}`,
          'invalid_value',
          'This is neither a member ID nor an email address such as ops@example.org.',
        ),
      );
    if (seen.has(each.toLowerCase()))
      faults.push(fault(`to/${index}`, 'duplicate_item', 'The list contains this recipient twice.'));
    seen.add(each.toLowerCase());
  }
  return { channel: { to: to.map((each) => (isId(each) ? each.toLowerCase() : each)) }, secret: null };
}

function validateWebhookChannel(
  url: string | undefined,
  before: KnownChannel | null,
  faults: ProblemItem[],
): ChannelWithSecret | null {
  if (url === undefined) {
    if (before) return { channel: before.channel, secret: undefined };
    faults.push(fault('url', 'required', 'Send the address of the incoming webhook.'));
    return null;
  }
  const parsed = parseChannelUrl(url, faults);
  return parsed && { channel: { host: parsed.host }, secret: parsed.href };
}

function validateNtfyChannel(
  { url, topic, token }: NotificationChannelRequest,
  before: KnownChannel | null,
  faults: ProblemItem[],
): ChannelWithSecret | null {
  const server = url ?? before?.channel.url;
  const name = topic ?? before?.channel.topic;
  if (server === undefined)
    faults.push(fault('url', 'required', 'Send the address of the ntfy server, such as https://ntfy.sh.'));
  if (name === undefined) faults.push(fault('topic', 'required', 'Send the topic that users subscribe to.'));
  const parsed = server === undefined ? null : parseChannelUrl(server, faults);
  if (parsed && (parsed.search !== '' || parsed.hash !== ''))
    faults.push(fault('url', 'invalid_url', 'Send only the address of the server, without a query.'));
  if (!parsed || name === undefined) return null;
  const moved = before?.channel.url === undefined || new URL(before.channel.url).origin !== parsed.origin;
  return {
    channel: { host: parsed.host, url: parsed.href, topic: name },
    secret: token === undefined && moved ? null : token,
  };
}

function parseChannelUrl(text: string, faults: ProblemItem[]): URL | null {
  try {
    return parseOutgoingUrl(text);
  } catch (error) {
    if (!(error instanceof OutgoingRequestError)) throw error;
    faults.push(fault('url', 'invalid_url', error.message));
    return null;
  }
}
