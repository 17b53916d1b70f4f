import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../../common/database/sql.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { InstallationWatch } from '../../../common/installation/installation-state.js';
import { RUNTIME, type Runtime } from '../../../common/settings/runtime.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { ENVIRONMENTS_SQL } from '../../../environments/environments.sql.js';
import { KeyVault, type OpenedKey } from '../../../keys/key-vault.js';
import type { CommandValue } from '../../../plans/rendering/render-command.js';
import { type VariableValue, toValueText } from '../../../variables/variable-value.js';
import type { RunIdentity } from '../../../transport/remote-command.js';
import { type PinnedKey, getPinnedKeys, type StoredPins } from '../../../transport/keys/pinned-key.js';
import { SameHostKeys } from '../../../inventory/machines/same-host-keys.js';
import type { ServerConnection } from '../../../inventory/fields/server-fields.js';
import type { JumpServerLogin } from '../../../inventory/fields/server-connection.js';
import type { Snapshot } from '../../record/execution-row.js';
import { readRunContent, type RunStep } from '../../record/run-content.js';
import { ValuesByScope } from '../../scopes/scope-values.js';
import { describeOwnValues, type RunValue, toSecretName, listSharedValues } from '../../record/host-values.js';
import { FROZEN_HOST_COLUMNS_SQL, type FrozenHost, thawConnection } from '../../record/snapshot.js';
import { createRedactorInSteps, type Redactor } from '../../output/redact-secrets.js';
import { RunSecrets } from '../../record/run-secrets.js';
import type { StepSources } from '../../steps/types/run-step-type.js';
import { StepRenderer } from '../../../plans/rendering/step-renderer.js';
import type { ExecutionMode } from '../../lifecycle/statuses.js';
import type { RunRef } from '../../record/run-head.js';
import { DispatchIds } from './journal-entries.js';
import { FairTurns, type EventLoopShare } from '../progress/fair-turns.js';

export interface RunHost extends Omit<ServerConnection, keyof StoredPins> {
  serverId: string;
  name: string;
  pins: readonly PinnedKey[];
  tags: Readonly<Record<string, string>>;
  /** Hosts with equal text have equal values; empty: only shared values. */
  kind: string;
}

export interface HostValues {
  /** All variables of the plan for templates, including secret values. */
  values: readonly CommandValue[];
  exports: readonly RunValue[];
  sources: StepSources;
}

/**
 * Everything that a worker needs to run steps. It contains decrypted secrets, so it exists only while this worker
 * drives the run.
 */
export interface RunContext {
  environmentId: string;
  createdAt: Date;
  steps: readonly RunStep[];
  hosts: ReadonlyMap<string, RunHost>;
  /** For a dry run: name of an earlier host that has the same host key, by server id of the later host. */
  sameMachine: ReadonlyMap<string, string>;
  jumps: ReadonlyMap<string, JumpServerLogin>;
  privateKeys: ReadonlyMap<string, OpenedKey>;
  callOutputs: Snapshot['callOutputs'];
  /** Values for hosts that have none of their own. All hosts have the same variable names. */
  valuesFor(scope: number | null): HostValues;
  /** Values for the host: those of its server override shared ones. */
  valuesOf(host: Pick<RunHost, 'serverId'>, scope: number | null): HostValues;
  redactor: Redactor;
  /** Share of the event loop that the run's tenant may use for masking. */
  share: EventLoopShare;
  /**
   * Word at the start of lines in which a script reports on a command. Users of the host can't guess it; every worker
   * computes the same word.
   */
  markOf(dispatchId: string): string;
  dispatchIds: DispatchIds;
  /** A deleted environment counts as protected. */
  isEnvironmentProtected(): Promise<boolean>;
  hostJournal: boolean;
  speaker: RunIdentity;
  /** Time left until the run's deadline, in ms; null: no deadline. */
  msLeft: number | null;
}

interface Row {
  environment_id: string;
  created_at: Date;
  execution_mode: ExecutionMode;
  host_journal: boolean;
  snapshot: Snapshot;
  sealed_secrets: Buffer | null;
  ms_left: number | null;
}

@Injectable()
export class RunContextLoader {
  private readonly turns = new FairTurns();

  constructor(
    private readonly units: UnitOfWork,
    private readonly keys: KeyVault,
    private readonly secrets: RunSecrets,
    private readonly environments: EnvironmentReader,
    private readonly sameKeys: SameHostKeys,
    private readonly renderer: StepRenderer,
    private readonly installation: InstallationWatch,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** @param serverIds hosts that this worker runs; null: all hosts of the run */
  async loadContext(ref: RunRef, serverIds: readonly string[] | null = null): Promise<RunContext> {
    const { secrets, ...opened } = await this.loadFrozenRun(ref, serverIds);
    const share = this.turns.createShare(ref.tenantId);
    const texts = Object.entries(secrets).map(([key, value]) => ({
      name: toSecretName(key),
      value: toValueText(value),
    }));
    return { ...opened, share, redactor: await share.runInTurns(createRedactorInSteps(texts)) };
  }

  private loadFrozenRun(
    ref: RunRef,
    serverIds: readonly string[] | null,
  ): Promise<Omit<RunContext, 'redactor' | 'share'> & { secrets: Record<string, VariableValue> }> {
    return this.units.run(ref.tenantId, async (tx) => {
      const run = await row(
        tx,
        sql<Row>`select e.environment_id, e.created_at, e.execution_mode, coalesce(v.host_journal, true) as host_journal, e.snapshot, e.sealed_secrets,
            (extract(epoch from e.deadline_at - now()) * 1000)::float8 as ms_left
          from executions e left join ${ENVIRONMENTS_SQL} v on v.tenant_id = e.tenant_id and v.id = e.environment_id
          where e.id = ${ref.executionId}`,
      );
      if (!run) throw new Error('The claimed run was deleted.');
      const hosts = await rows(
        tx,
        sql<FrozenHost>`select ${FROZEN_HOST_COLUMNS_SQL} from execution_hosts
          where execution_id = ${ref.executionId}${serverIds ? sql` and server_id = any (${serverIds})` : sql.none}
          order by ordinal`,
      );
      const jumps = new Map(Object.entries(run.snapshot.jumpServers ?? {}));
      const keyIds = [
        ...new Set([...hosts.map((host) => host.ssh_key_id), ...[...jumps.values()].map(({ sshKeyId }) => sshKeyId)]),
      ];
      const secrets = this.secrets.openSecrets(ref, run.sealed_secrets);
      const shared = listSharedValues(run.snapshot, secrets);
      const renderer = this.renderer.createStepRendering({ tenantId: ref.tenantId, asks: 'run' });
      const { library } = run.snapshot;
      const hostValues = (values: ValuesByScope, scope: number | null): HostValues => {
        const found = values.getScopeValues(scope);
        return { ...found, sources: { library, values: found.values, renderer } };
      };
      const all = ValuesByScope.create(run.snapshot, secrets, null, shared);
      const hostsWithValues = new Map(
        hosts.flatMap((host) => (describeOwnValues(host) === '' ? [] : [[host.server_id, host]])),
      );
      return {
        environmentId: run.environment_id,
        createdAt: run.created_at,
        steps: readRunContent(run.snapshot.plan).steps,
        callOutputs: run.snapshot.callOutputs,
        hosts: new Map(hosts.map((host) => [host.server_id, toRunHost(host)])),
        sameMachine: run.execution_mode === 'dry_run' ? await this.findSharedMachines(tx, ref, hosts) : new Map(),
        jumps,
        privateKeys: await this.keys.openPrivateKeys(tx, ref.tenantId, keyIds),
        valuesFor: (scope) => hostValues(all, scope),
        // Computed on demand, because thousands of hosts may have their own values.
        valuesOf: ({ serverId }, scope) => {
          const own = hostsWithValues.get(serverId);
          return hostValues(own ? ValuesByScope.create(run.snapshot, secrets, own, shared) : all, scope);
        },
        secrets,
        markOf: (dispatchId) =>
          createHmac('sha256', this.runtime.masterKey.secret)
            .update(`runward mark\0${dispatchId}`)
            .digest('hex')
            .slice(0, 32),
        dispatchIds: new DispatchIds(this.runtime.masterKey.secret, ref.executionId),
        isEnvironmentProtected: () => this.isProtected(ref, run.environment_id),
        hostJournal: run.host_journal,
        speaker: this.createRunIdentity(),
        msLeft: run.ms_left,
      };
    });
  }

  private createRunIdentity(): RunIdentity {
    const { identity: installation, incarnation } = this.installation.current;
    return { installation, incarnation };
  }

  private async findSharedMachines(
    tx: EntityManager,
    { tenantId }: RunRef,
    frozen: readonly FrozenHost[],
  ): Promise<Map<string, string>> {
    const hosts = frozen.map((host) => ({ id: host.server_id, name: host.name, ...thawConnection(host) }));
    const pairs = await this.sameKeys.findSameKeyPairs(tx, tenantId, hosts);
    return new Map(pairs.map(([first, { id }]) => [id, first.name]));
  }

  private async isProtected(ref: RunRef, environmentId: string): Promise<boolean> {
    const environmentRights = await this.units.run(ref.tenantId, (tx) =>
      this.environments.readRights(tx, ref.tenantId, environmentId, []),
    );
    return environmentRights?.protected ?? true;
  }
}

function toRunHost(row: FrozenHost): RunHost {
  const { hostKey, moreHostKeys, ...connection } = thawConnection(row);
  return {
    serverId: row.server_id,
    name: row.name,
    ...connection,
    pins: getPinnedKeys({ hostKey, moreHostKeys }),
    tags: row.tags,
    kind: describeOwnValues(row),
  };
}
