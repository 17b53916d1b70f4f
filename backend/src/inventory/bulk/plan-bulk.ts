import type { OtherServerItem } from '../../common/errors/problem.js';
import type { ProblemCode } from '../../common/errors/problem-codes.js';
import type { EnvironmentAllowance } from '../environment-allowances.js';
import { MAX_TAGS } from '../fields/tags.js';
import { toMachineKey } from '../machines/run-hosts.js';
import {
  groupByClaimant,
  type HostCollision,
  formatCollisions,
  toOtherServerItems,
} from '../machines/host-collisions.js';
import { formatProtectedHost } from '../machines/protected-hosts.js';
import { findChangeFault, findDeletionFault, findMoveFault, type ServerGuards } from '../host-approval.js';
import { findChangedHostColumns } from '../fields/server-fields.js';
import { getSettingSpec, SETTING_NAMES, type ServerSetting } from '../fields/server-settings.js';
import type { Server } from '../fields/server.entity.js';
import type { BulkServersRequest } from './bulk-servers.dto.js';
import { describeMissingGrant } from '../../environments/grant-policy.js';

/** `leave`: the server is already as requested. */
export const BULK_OUTCOMES = ['change', 'delete', 'leave', 'refuse'] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

/** Values as text; null: no value. */
interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

export type SelectedServer = Pick<
  Server,
  | 'id'
  | 'name'
  | 'environmentId'
  | 'hostname'
  | 'port'
  | 'username'
  | 'tags'
  | 'enabled'
  | 'disabledByImport'
  | ServerSetting
> & {
  fingerprints: string[];
};

/** Reason for refusing a server. The code is the same as for a single change. */
export interface ServerRefusal {
  code: ProblemCode | 'too_many_tags';
  message: string;
  others?: readonly OtherServerItem[];
}

export interface PlannedServer {
  server: SelectedServer;
  outcome: BulkOutcome;
  changes: FieldChange[];
  tags: Record<string, string>;
  refusal: ServerRefusal | null;
}

export type BulkChangeRequest = Pick<
  BulkServersRequest,
  'action' | 'addTags' | 'removeTags' | 'environmentId' | 'enabled' | ServerSetting
>;

export const toRefusedServer = (
  planned: PlannedServer,
  code: ServerRefusal['code'],
  message: string,
  others?: ServerRefusal['others'],
): PlannedServer => ({
  ...planned,
  outcome: 'refuse',
  changes: [],
  refusal: { code, message, ...(others ? { others } : {}) },
});

/** Plans the change of one server, without regard to other servers. */
export function planServerChange(
  order: BulkChangeRequest,
  server: SelectedServer,
  allowances: ReadonlyMap<string, EnvironmentAllowance>,
  guards: ReadonlyMap<string, ServerGuards>,
): PlannedServer {
  const nameOf = (id: string) => allowances.get(id)?.name ?? id;
  const tags = getTagsAfterChange(order, server.tags);
  const changes = order.action === 'delete' ? [] : listFieldChanges(order, server, tags, nameOf);
  const moves = order.environmentId !== undefined && order.environmentId !== server.environmentId;
  // Clears `disabledByImport` when a person disables the server. Otherwise the next import would enable it again.
  const takesOverDisabling = order.enabled === false && server.disabledByImport;
  const outcome = order.action === 'delete' ? 'delete' : changes.length > 0 || takesOverDisabling ? 'change' : 'leave';
  const planned: PlannedServer = { server, outcome, changes, tags, refusal: null };
  const environmentAllowance = allowances.get(server.environmentId);
  if (!environmentAllowance?.run)
    return toRefusedServer(planned, 'grant_required', describeMissingGrant('run', nameOf(server.environmentId)));
  const serverGuards = guards.get(server.id);
  const columns = findChangedHostColumns(server, order);
  const fault =
    outcome === 'delete'
      ? findDeletionFault(serverGuards, server.name)
      : ((moves ? findMoveFault(serverGuards, server.name) : null) ??
        findChangeFault(serverGuards, server.name, columns));
  if (fault) return toRefusedServer(planned, 'grant_required', fault);
  if (outcome === 'change' && Object.keys(tags).length > MAX_TAGS)
    return toRefusedServer(planned, 'too_many_tags', `It would have more than ${MAX_TAGS} tags. Remove some first.`);
  return planned;
}

function getTagsAfterChange(
  { addTags = {}, removeTags = [] }: BulkChangeRequest,
  before: Server['tags'],
): Server['tags'] {
  const added = Object.entries(addTags);
  const same =
    added.every(([key, value]) => before[key] === value) && !removeTags.some((key) => Object.hasOwn(before, key));
  if (same) return before;
  const keptTags = Object.entries(before).filter(([key]) => !removeTags.includes(key));
  return Object.fromEntries([...keptTags, ...added]);
}

const formatTags = (tags: Server['tags']): string | null => {
  const words = Object.entries(tags).map(([key, value]) => (value === '' ? key : `${key}=${value}`));
  return words.length === 0 ? null : words.sort().join(', ');
};
const toYesOrNo = (value: boolean) => (value ? 'yes' : 'no');

function listSettingChange<S extends ServerSetting>(
  setting: S,
  before: Pick<Server, S>,
  after: { readonly [Each in S]?: Server[Each] },
): FieldChange[] {
  const { format } = getSettingSpec(setting);
  const requested = after[setting];
  if (requested === undefined || requested === before[setting]) return [];
  return [{ field: setting, before: format(before[setting]), after: format(requested) }];
}

function listFieldChanges(
  order: BulkChangeRequest,
  server: SelectedServer,
  tags: Server['tags'],
  nameOf: (environmentId: string) => string,
): FieldChange[] {
  const { environmentId, enabled } = order;
  return [
    ...(tags === server.tags ? [] : [{ field: 'tags', before: formatTags(server.tags), after: formatTags(tags) }]),
    ...(environmentId === undefined || environmentId === server.environmentId
      ? []
      : [{ field: 'environment', before: nameOf(server.environmentId), after: nameOf(environmentId) }]),
    ...(enabled === undefined || enabled === server.enabled
      ? []
      : [{ field: 'enabled', before: toYesOrNo(server.enabled), after: toYesOrNo(enabled) }]),
    ...SETTING_NAMES.flatMap((setting) => listSettingChange(setting, server, order)),
  ];
}

export const isMovedToEnvironment = (
  { environmentId }: BulkChangeRequest,
  { outcome, server }: PlannedServer,
): boolean => outcome === 'change' && environmentId !== undefined && environmentId !== server.environmentId;

/**
 * Refuses a moved server when its machine already exists in the environment, or another moved server is the same
 * machine.
 * @param doubles name of the existing server, by ID of the moved server
 */
export function refuseDuplicateAddresses(
  order: BulkChangeRequest,
  planned: readonly PlannedServer[],
  doubles: ReadonlyMap<string, string>,
): PlannedServer[] {
  const first = new Map<string, string>();
  return planned.map((each) => {
    if (!isMovedToEnvironment(order, each)) return each;
    const { server } = each;
    const key = toMachineKey(server);
    const other = doubles.get(server.id) ?? first.get(key);
    if (other === undefined) {
      first.set(key, server.name);
      return each;
    }
    const message = doubles.has(server.id)
      ? `"${other}" already has this address, port and login in that environment. Change or delete "${other}" first.`
      : `It has the same address, port and login as "${other}", which this change also moves there.`;
    return toRefusedServer(each, 'duplicate_address', message);
  });
}

/** Refuses moved servers that share a host key with a server which stays in another, protected environment. */
export const refuseKeysOfOtherEnvironments = (
  order: BulkChangeRequest,
  planned: readonly PlannedServer[],
  foreign: ReadonlySet<string>,
): PlannedServer[] =>
  planned.map((each) =>
    isMovedToEnvironment(order, each) && each.server.fingerprints.some((fingerprint) => foreign.has(fingerprint))
      ? toRefusedServer(each, 'protected_host', formatProtectedHost(`"${each.server.name}"`, 'host_key'))
      : each,
  );

/** Refuses servers that would move hosts into a protected environment which were proved in another environment. */
export function refuseCollisions(planned: readonly PlannedServer[], found: readonly HostCollision[]): PlannedServer[] {
  const byId = groupByClaimant(found);
  return planned.map((each) => {
    const own = byId.get(each.server.id);
    return own ? toRefusedServer(each, 'host_proved_elsewhere', formatCollisions(own), toOtherServerItems(own)) : each;
  });
}
