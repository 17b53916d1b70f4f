import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { hashPassword } from '../common/crypto/password-hash.js';
import { getViolatedConstraint } from '../common/database/database-problem.js';
import { affected, row, rows, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../common/errors/problem.js';
import { findHiddenCharacterFault } from '../common/text/visible-text.js';
import { newId } from '../common/ids.js';
import { addToDirectory } from './directory/auth-directory.js';
import { User } from './directory/user.entity.js';

/**
 * Returns the key of the auth directory for an email address. It is hashed, so that the directory contains no personal
 * data.
 */
export const emailKey = (email: string): Buffer => createHash('sha256').update(email.trim().toLowerCase()).digest();

export interface NewTenant {
  name: string;
  adminEmail: string;
  adminName: string;
  adminPassword: string;
}

@Injectable()
export class TenantCreation {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  async hasTenants(): Promise<boolean> {
    const tenant = await this.units.runWithoutTenant((tx) => row(tx, sql`select 1 from tenants limit 1`));
    return tenant !== undefined;
  }

  /** Returns all tenants, oldest first. Only for the operator of the installation, never for a member. */
  async list(): Promise<{ id: string; name: string; createdAt: Date }[]> {
    return this.units.runWithoutTenant((tx) =>
      rows(
        tx,
        sql<{ id: string; name: string; createdAt: Date }>`
          select id, name, created_at as "createdAt" from tenants order by created_at, id`,
      ),
    );
  }

  /**
   * @returns ID of the new tenant
   * @throws Problem 400 if the name contains an invisible character; 409 `duplicate_name`
   */
  async create(fields: NewTenant): Promise<string> {
    const hidden = findHiddenCharacterFault(fields.name);
    if (hidden !== null) {
      const message = `The name of the tenant ${hidden}.`;
      throw invalidRequest([{ path: '/name', code: 'forbidden_character', message }], message);
    }
    const tenantId = newId();
    const passwordHash = await hashPassword(fields.adminPassword);
    try {
      await this.units.run(tenantId, async (tx) => {
        await affected(tx, sql`insert into tenants (id, name) values (${tenantId}, ${fields.name})`);
        const userId = await addUser(tx, tenantId, {
          email: fields.adminEmail,
          name: fields.adminName,
          role: 'admin',
          passwordHash,
        });
        await this.audit.record(
          tx,
          { kind: 'system', tenantId, name: 'runward' },
          {
            action: 'tenant.create',
            resourceId: tenantId,
            resourceName: fields.name,
            after: { name: fields.name, admin: fields.adminEmail, adminId: userId },
          },
        );
      });
    } catch (error) {
      if (getViolatedConstraint(error, 'unique') === 'tenants_name') {
        throw conflict('duplicate_name', `A tenant named "${fields.name}" already exists.`);
      }
      throw error;
    }
    return tenantId;
  }
}

type NewUser = Pick<User, 'email' | 'name' | 'role' | 'passwordHash'>;

export async function addUser(tx: EntityManager, tenantId: string, fields: NewUser): Promise<string> {
  const id = newId();
  await tx.getRepository(User).insert({ id, tenantId, ...fields });
  await addToDirectory(tx, { kind: 'email', key: emailKey(fields.email), tenantId, recordId: id });
  return id;
}
