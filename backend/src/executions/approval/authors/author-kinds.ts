import type { AuditActionName } from '../../../audit/audit-actions.js';
import type { RUN_AUTHOR_KINDS } from '../../../common/http/problem.view.js';
import type { FrozenLibrary } from '../../record/run-content.js';
import type { Snapshot } from '../../record/execution-row.js';
import type { FrozenHost } from '../../record/snapshot.js';
import {
  getSettingSpec,
  SETTING_NAMES,
  isPartOfDigest,
  type SERVER_SETTINGS,
  type ServerSetting,
} from '../../../inventory/fields/server-settings.js';

export type AuthorKind = (typeof RUN_AUTHOR_KINDS)[number];

/** Kinds of records that determine how Runward connects to a host. */
export type ConnectionKind = Extract<AuthorKind, 'host_key' | 'jump_server' | 'ssh_key'>;

/** Kinds of content that members can write without permission to run in the environment. */
export const OUTSIDE_AUTHOR_KINDS: readonly AuthorKind[] = ['plan', 'script', 'template', 'git_commit', 'git_source'];

export type RecordAuthorKind = Exclude<AuthorKind, 'plan' | 'script' | 'template' | 'git_commit'>;

/** Audit entries that make their actor an author. */
export interface RecordAuthorRule {
  kind: RecordAuthorKind;
  actions: readonly AuditActionName[];
  /** Fields of which at least one must differ; null = every entry counts. */
  fields: readonly string[] | null;
  /**
   * Field with the ID of the record that the run must use, and the actions whose entries have this field. Absent = the
   * changed record itself.
   */
  of?: { field: string; actions: readonly AuditActionName[] };
}

export const RECORD_AUTHOR_RULES: readonly RecordAuthorRule[] = [
  { kind: 'git_source', actions: ['git_source.create'], fields: null },
  {
    kind: 'git_source',
    actions: ['git_source.update'],
    fields: ['url', 'branch', 'credential', 'tokenChanged', 'hostKey', 'planFolders'],
  },
  {
    kind: 'environment_variable',
    actions: ['environment.set_variable', 'environment.delete_variable'],
    fields: null,
    of: { field: 'environmentId', actions: ['environment.delete_variable'] },
  },
  {
    kind: 'server_variable',
    actions: ['server.set_variable', 'server.delete_variable'],
    fields: null,
    of: { field: 'serverId', actions: ['server.delete_variable'] },
  },
  { kind: 'server_variable', actions: ['server.set_variables'], fields: null },
  // Imports record changed variables in the audit entry of the server.
  { kind: 'server_variable', actions: ['server.create', 'server.update'], fields: ['variables'] },
  { kind: 'server_tag', actions: ['server.update'], fields: ['tags'] },
  { kind: 'server', actions: ['server.create', 'server.delete', 'server.rotate_key'], fields: null },
  {
    kind: 'server',
    actions: ['server.update'],
    fields: [
      ...['name', 'hostname', 'port', 'username', 'sshKeyId', 'environmentId', 'enabled'],
      ...SETTING_NAMES.filter(isPartOfDigest),
    ],
  },
  // The actions cover pinned host keys and certificate authorities.
  { kind: 'host_key', actions: ['server.set_host_keys', 'server.accept_host_key'], fields: null },
  { kind: 'host_key', actions: ['server.update'], fields: ['hostKeys'] },
  { kind: 'jump_server', actions: ['server.update'], fields: ['jumpServerId'] },
  {
    kind: 'ssh_key',
    actions: ['ssh_key.generate', 'ssh_key.import', 'ssh_key.put_certificate', 'ssh_key.delete_certificate'],
    fields: null,
  },
  { kind: 'ssh_key', actions: [], fields: null, of: { field: 'newKeyId', actions: ['ssh_key.rotate'] } },
];

interface NoAuthorRule {
  none: string;
}
type SnapshotAuthorRule = readonly AuthorKind[] | NoAuthorRule;

/**
 * Rule for the authors of each part that a run freezes, or the reason why the part has none. A new part does not
 * compile without an entry.
 */
export const SNAPSHOT_AUTHOR_RULES: Readonly<Record<keyof Snapshot, SnapshotAuthorRule>> = {
  plan: ['plan', 'git_commit', 'git_source'],
  scopes: ['plan'],
  callOutputs: ['plan'],
  calledPlans: ['plan', 'git_commit', 'git_source'],
  variables: ['plan', 'environment_variable'],
  secretNames: ['plan', 'environment_variable', 'server_variable'],
  secretVersions: ['environment_variable'],
  sshKeys: ['ssh_key'],
  library: ['script', 'template', 'git_commit', 'git_source'],
  jumpServers: ['server', 'host_key', 'jump_server', 'ssh_key'],
  targets: { none: 'the starter chose them' },
  fromStepKey: { none: 'the starter chose it' },
  inherited: { none: 'results of runs that were started and approved themselves' },
  given: { none: 'the starter gave them' },
  valueSources: { none: 'they name records whose authors are counted in `variables`' },
};

export const LIBRARY_AUTHOR_RULES: Readonly<Record<keyof FrozenLibrary, SnapshotAuthorRule>> = {
  scripts: ['script', 'git_commit', 'git_source'],
  templates: ['template', 'git_commit', 'git_source'],
  files: ['plan', 'git_commit', 'git_source'],
};

const SETTING_AUTHOR_RULES = Object.fromEntries(
  SETTING_NAMES.map((setting): [string, SnapshotAuthorRule] => {
    const { column, runs } = getSettingSpec(setting);
    return [column, 'none' in runs ? runs : ['server']];
  }),
) as Record<(typeof SERVER_SETTINGS)[ServerSetting]['column'], SnapshotAuthorRule>;

export const HOST_AUTHOR_RULES: Readonly<Record<keyof FrozenHost, SnapshotAuthorRule>> = {
  server_id: ['server', 'server_tag'],
  ordinal: { none: 'order of the hosts' },
  name: ['server'],
  hostname: ['server'],
  port: ['server'],
  username: ['server'],
  ssh_key_id: ['server', 'ssh_key'],
  host_key: ['server', 'host_key'],
  more_host_keys: ['server', 'host_key'],
  jump_server_id: ['server', 'jump_server'],
  ...SETTING_AUTHOR_RULES,
  tags: ['server_tag'],
  variables: ['server_variable'],
  secrets: ['server_variable'],
};

/** Author of a part of what a run reads: a user, or a person who is not a member. */
export interface Author {
  /** Null = no member has the e-mail address of the commit, or the author cannot be determined. */
  userId: string | null;
  kind: AuthorKind;
  name: string;
  /** Latest revision by this author; null = the record has no revisions, or they were deleted. */
  revision: number | null;
  /** Commit, or changed fields; null = unknown. */
  detail?: string | null;
  /** Name and address in the commit, or why the author cannot be determined; null for a member. */
  authorName?: string | null;
}

/** Returns text that follows "You saved", such as `revision 3 of the script "cleanup"`. */
export function describeSavedContent({
  kind,
  name,
  revision,
  detail,
}: Pick<Author, 'kind' | 'name' | 'revision' | 'detail'>): string {
  switch (kind) {
    case 'plan':
    case 'script':
    case 'template':
      return revision === null
        ? `a revision of the ${kind} "${name}", which was deleted since`
        : `revision ${revision} of the ${kind} "${name}"`;
    case 'git_commit':
      return `a commit of "${name}" (${detail ?? ''})`;
    case 'git_source':
      return `the address, branch, credential or folders of the git source "${name}"`;
    case 'environment_variable':
      return `the variable "${name}"`;
    case 'server_variable':
      return `the server variable "${name}"`;
    case 'server_tag':
      return `tags of the server "${name}"`;
    case 'server':
      return `the server "${name}"`;
    case 'host_key':
      return `host keys or certificate authorities of the server "${name}"`;
    case 'jump_server':
      return `the jump server of the server "${name}"`;
    case 'ssh_key':
      return `the SSH key "${name}" or its certificate`;
  }
}
