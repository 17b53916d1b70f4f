import { invalidRequest } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { isId } from '../../common/ids.js';
import { OutgoingRequestError, parseOutgoingUrl } from '../../common/network/outgoing-request.js';
import { isMailAddress } from '../../common/settings/smtp-settings.js';
import { channelFault, type ChannelField, type NotificationChannel, type StoredChannel } from './channel.js';
import { type ChannelType, channelOf, FIELDS_BY_NAME } from './channel-list.js';

/** Channel of a request, whose fields are already valid by themselves. */
export interface ChannelRequest {
  type: ChannelType;
  /** Values of channel fields are a text, a list of texts, or null. */
  [field: string]: unknown;
}

export interface RequestedChannel {
  channelType: ChannelType;
  channel: StoredChannel;
  /** Secret to encrypt; null: none; undefined: keep the stored one. */
  secret: string | null | undefined;
}

/**
 * Validates the channel of a request. A secret belongs to its receiver: another type or another server removes it,
 * unless the request contains a new one.
 * @param known stored channel; null: none yet
 * @throws Problem 400
 */
export function requireValidChannel(
  request: ChannelRequest,
  known: Pick<RequestedChannel, 'channelType' | 'channel'> | null,
): RequestedChannel {
  const definition = channelOf(request.type);
  const before = known?.channelType === request.type ? known.channel : null;
  const faults = foreignFieldProblems(request, definition);
  const channel: StoredChannel = {};
  let secret: string | null | undefined;
  for (const field of definition.fields) {
    const sent = request[field.name] as string | string[] | null | undefined;
    const value = sent === undefined && !field.secret ? before?.[field.name] : sent;
    const isKept = field.secret && before !== null && value === undefined;
    if (value === undefined || (value === null && field.required)) {
      if (field.required && !isKept) faults.push(channelFault(field.name, 'required', field.missing));
      continue;
    }
    const [stored, host] = value === null ? [null] : validateValue(field, value, faults);
    if (host !== undefined) channel.host = host;
    if (field.secret) secret = stored as string | null;
    else channel[field.name] = stored ?? undefined;
  }
  if (faults.length === 0) faults.push(...(definition.validate?.(channel) ?? []));
  if (faults.length > 0) throw invalidRequest(faults);
  if (before?.host !== undefined) channel.host ??= before.host;
  const keepsSecret =
    before !== null &&
    definition.fields.some((field) => field.secret) &&
    originOf(definition, before) === originOf(definition, channel);
  if (secret === undefined && !keepsSecret) secret = null;
  return { channelType: request.type, channel, secret };
}

const foreignFieldProblems = (request: ChannelRequest, { type, fields }: NotificationChannel): ProblemItem[] => {
  const names = fields.map(({ name }) => name);
  return [...FIELDS_BY_NAME.keys()]
    .filter((name) => request[name] !== undefined && request[name] !== null && !names.includes(name))
    .map((name) =>
      channelFault(name, 'not_applicable', `A channel of type ${type} has no ${name}. It has ${names.join(', ')}.`),
    );
};

/** Returns the value to store, and the host of an address. */
function validateValue(
  field: ChannelField,
  value: string | string[],
  faults: ProblemItem[],
): [value: string | string[], host?: string] {
  switch (field.kind) {
    case 'recipients':
      return [validateRecipients([value].flat(), faults)];
    case 'address': {
      const url = parseAddress(field.name, String(value), faults);
      return [url?.href ?? '', url?.host];
    }
    case 'text':
      return [value];
  }
}

function validateRecipients(to: readonly string[], faults: ProblemItem[]): string[] {
  const seen = new Set<string>();
  for (const [index, each] of to.entries()) {
    if (!isId(each) && !isMailAddress(each))
      faults.push(
        channelFault(
          `to/${index}`,
          'invalid_value',
          'This is neither a member ID nor an email address such as ops@example.org.',
        ),
      );
    if (seen.has(each.toLowerCase()))
      faults.push(channelFault(`to/${index}`, 'duplicate_item', 'The list contains this recipient twice.'));
    seen.add(each.toLowerCase());
  }
  return to.map((each) => (isId(each) ? each.toLowerCase() : each));
}

function parseAddress(field: string, text: string, faults: ProblemItem[]): URL | null {
  try {
    return parseOutgoingUrl(text);
  } catch (error) {
    if (!(error instanceof OutgoingRequestError)) throw error;
    faults.push(channelFault(field, 'invalid_url', error.message));
    return null;
  }
}

/** Origin of the address that is not secret; undefined: the channel has no such address. */
function originOf({ fields }: NotificationChannel, channel: StoredChannel): string | undefined {
  const field = fields.find(({ kind, secret }) => kind === 'address' && !secret);
  const url = field && channel[field.name];
  return url === undefined ? undefined : new URL(String(url)).origin;
}
