import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { mintEnrolmentToken, readTokenPrefix } from '../../common/crypto/api-token.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { KeyVault } from '../../keys/key-vault.js';
import { addToDirectory } from '../../tenancy/directory/auth-directory.js';
import { JumpPaths } from '../jump-paths.js';
import { toRequester } from '../rotation/rotation-record.js';
import { createEnrolmentCommand } from './enrolment-script.js';
import type { CreateEnrolmentRequest } from './enrolments.dto.js';
import { EnrolmentsReader } from './enrolments.reader.js';
import type { CreatedEnrolmentView } from './enrolments.view.js';

const DEFAULT_EXPIRY_SECONDS = 3600;

@Injectable()
export class EnrolmentCreation {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly keys: KeyVault,
    private readonly jumps: JumpPaths,
    private readonly enrolments: EnrolmentsReader,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Only this response contains the token. @throws Problem 404; 403 `grant_required`; 409 `jump_path` */
  createEnrolment(caller: Principal, request: CreateEnrolmentRequest): Promise<CreatedEnrolmentView> {
    const { tenantId, userId } = caller;
    const { token, id: publicId, secretHash } = mintEnrolmentToken();
    const id = newId();
    return this.units.run(tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(
        tx,
        caller,
        request.environmentId,
        '/environmentId',
      );
      const key = await this.keys.getVisibleKey(tx, caller, request.sshKeyId, '/sshKeyId');
      await this.environments.requireOwnRunRight(tx, caller, environment);
      const jumpServerId = request.jumpServerId ?? null;
      // The future server does not exist yet, so no other server can use it as a jump server.
      const host = { id: newId(), name: request.name ?? 'the host' };
      if (jumpServerId !== null) await this.jumps.requireUsablePath(tx, caller, host, jumpServerId);
      const { username, port = 22, name = null, tags = {}, expiresInSeconds = DEFAULT_EXPIRY_SECONDS } = request;
      await affected(
        tx,
        sql`insert into enrolments (id, tenant_id, environment_id, ssh_key_id, jump_server_id, username, port, name, tags,
            prefix, secret_hash, requested_by, created_by, expires_at)
          values (${id}, ${tenantId}, ${environment.id}, ${key.id}, ${jumpServerId?.toLowerCase() ?? null}, ${username},
            ${port}, ${name}, ${JSON.stringify(tags)}, ${readTokenPrefix(token)}, ${secretHash},
            ${JSON.stringify(toRequester(caller))}, ${userId}, now() + make_interval(secs => ${expiresInSeconds}))`,
      );
      await addToDirectory(tx, { kind: 'enrolment', key: Buffer.from(publicId), tenantId, recordId: id });
      const after = await this.enrolments.find(tx, caller, id);
      await this.audit.record(tx, caller, {
        action: 'enrolment.create',
        resourceId: id,
        resourceName: after.prefix,
        after,
      });
      const url = this.runtime.settings.publicUrl;
      return { ...after, token, command: createEnrolmentCommand({ url, token, username: request.username }) };
    });
  }

  /**
   * Ends an enrolment immediately, also for a host that has used it. Repeated calls change nothing.
   * @throws Problem 404; 403 `grant_required`
   */
  revokeEnrolment(caller: Principal, id: string): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const before = await this.enrolments.find(tx, caller, id);
      // Only admins see the enrolment of a deleted environment.
      if (caller.role !== 'admin') await this.environments.requireRunnable(tx, caller, before.environmentId);
      const revoked = await affected(
        tx,
        sql`update enrolments set revoked_at = now()
          where tenant_id = ${caller.tenantId} and id = ${id} and revoked_at is null`,
      );
      if (revoked === 0) return;
      await this.audit.record(tx, caller, {
        action: 'enrolment.revoke',
        resourceId: before.id,
        resourceName: before.prefix,
        before,
      });
    });
  }
}
