import { randomBytes } from 'node:crypto';
import type { Settings } from '../common/settings/settings.js';
import type { TenantCreation } from '../tenancy/create-tenant.js';

/**
 * Creates the first tenant and its admin, unless there is a tenant.
 * @returns lines to print once: a generated password can't be shown again
 */
export async function ensureFirstAdmin(tenants: TenantCreation, { firstAdmin }: Settings): Promise<string[]> {
  if (await tenants.hasTenants()) return [];
  const password = firstAdmin.password ?? randomBytes(15).toString('base64url');
  const email = firstAdmin.email ?? 'admin@runward.local';
  const name = firstAdmin.tenant ?? 'main';
  try {
    await tenants.create({ name, adminEmail: email, adminName: 'Admin', adminPassword: password });
  } catch (error) {
    // Another process of the installation started at the same time and was first to create the admin.
    if (await tenants.hasTenants()) return [];
    throw error;
  }
  const passwordText = firstAdmin.password === undefined ? password : '(see RUNWARD_ADMIN_PASSWORD)';
  return [`Tenant "${name}" was created. Sign in as ${email} with the password ${passwordText}`];
}
