import { findHostAddressFault } from '../../../common/network/host-address.js';
import { toMachineKey } from '../../machines/run-hosts.js';
import { toStoredPins } from '../../../transport/keys/pinned-key.js';
import { findChangeFault, findMoveFault } from '../../host-approval.js';
import { findChangedHostColumns } from '../../fields/server-fields.js';
import type { Server } from '../../fields/server.entity.js';
import type { ImportEntry, ImportOrder } from '../orders/import-record.js';
import type { KnownServers } from './known-servers.js';
import type { ServerDraft } from './server-content.js';
import { describeMissingGrant } from '../../../environments/grant-policy.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

export interface EntryFault {
  code: ReasonCode;
  message: string;
}

/**
 * Returns why the requester may not change the server. For a server that the requester can't see, the message says only
 * that the name or external id is taken. The same message is used for a visible server of another environment.
 */
export function findAccessFault(
  order: ImportOrder,
  { wanted }: ImportEntry,
  before: Server,
  { allowances }: KnownServers,
): EntryFault | null {
  const there = allowances.get(before.environmentId);
  if (before.environmentId === order.environmentId && there?.run) return null;
  if (order.source === null || before.externalSource !== order.source) return createNameTakenFault(wanted.name);
  if (!there?.see)
    return {
      code: 'duplicate_external_id',
      message: 'Another server already has this source and external ID. Choose another ID.',
    };
  if (!there.run)
    return {
      code: 'grant_required',
      message: describeMissingGrant('run', there.name),
    };
  return null;
}

const createNameTakenFault = (name: string): EntryFault => ({
  code: 'duplicate_name',
  message: `The name "${name}" is already taken. Choose another one; names are unique.`,
});

export function findNewServerFault(order: ImportOrder, { wanted }: ImportEntry): EntryFault | null {
  if (order.sshKeyId === null)
    return {
      code: 'required',
      message: 'This is a new server, and the import has no SSH key for new servers. Choose one (sshKeyId).',
    };
  const fault = wanted.hostname === undefined ? findHostAddressFault(wanted.name) : null;
  if (fault)
    return {
      code: 'required',
      message: `This is a new server, the text has no address, and its name is not a valid address: ${fault}.`,
    };
  if (wanted.username === undefined && order.username === null)
    return {
      code: 'required',
      message:
        'This is a new server, and neither the text nor the import contains its login. Set one for new servers (username).',
    };
  return null;
}

/**
 * Refuses to change the host of a server in a protected environment, or to move the server away, without the grant
 * `approve` there.
 */
export function findHostFault({ before, after }: ServerDraft, { guards }: KnownServers): EntryFault | null {
  if (!before) return null;
  const serverGuards = guards.get(before.id);
  const moves = before.environmentId !== after.environmentId;
  const columns = findChangedHostColumns(before, { ...after, ...toStoredPins(after.hostKeys) });
  const message =
    (moves ? findMoveFault(serverGuards, before.name) : null) ?? findChangeFault(serverGuards, before.name, columns);
  return message === null ? null : { code: 'grant_required', message };
}

/** Refuses names and machines that would exist twice after the import. */
export function refuseDuplicateEntries(
  drafts: readonly ServerDraft[],
  known: KnownServers,
  gone: ReadonlySet<string>,
  refuse: (entry: ImportEntry, code: ReasonCode, message: string, serverId?: string | null) => void,
): void {
  const names = new Set([...known.byName].filter(([, { id }]) => !gone.has(id)).map(([name]) => name));
  const machines = new Map(known.machines.filter(({ id }) => !gone.has(id)).map(({ key, name }) => [key, name]));
  const isOld = ({ before, after }: ServerDraft) =>
    before !== null && before.environmentId === after.environmentId && toMachineKey(before) === toMachineKey(after);
  // Unchanged servers come first, so the refused duplicate is the new or changed one.
  for (const draft of [...drafts].sort((one, other) => Number(isOld(other)) - Number(isOld(one)))) {
    const { entry, before, after } = draft;
    const [taken, machine] = [createNameTakenFault(after.name), machines.get(toMachineKey(after))];
    if (names.has(toLower(after.name))) refuse(entry, taken.code, taken.message, before?.id);
    else if (machine !== undefined && !isOld(draft))
      refuse(
        entry,
        'duplicate_address',
        `"${machine}" already has this address, port and login in this environment.`,
        before?.id,
      );
    names.add(toLower(after.name));
    machines.set(toMachineKey(after), after.name);
  }
}

const toLower = (name: string) => name.toLowerCase();
