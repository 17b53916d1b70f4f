import type { AuditLogsReader } from '../audit/audit-logs.reader.js';
import { StartError } from '../common/database/start-error.js';
import type { TenantCreation } from '../tenancy/create-tenant.js';

/**
 * Verifies the audit chain of one tenant or of all tenants, and prints one line per tenant.
 * @param name name of the only tenant to verify, ignoring case; undefined: all tenants
 * @returns whether every chain is intact
 * @throws StartError if no tenant has this name
 */
export async function verifyAuditTrails(
  tenants: TenantCreation,
  logs: AuditLogsReader,
  say: (line: string) => void,
  name?: string,
): Promise<boolean> {
  const tenantName = name?.toLowerCase();
  const checked = (await tenants.list()).filter(
    (each) => tenantName === undefined || each.name.toLowerCase() === tenantName,
  );
  if (checked.length === 0 && name !== undefined)
    throw new StartError(`No tenant is named "${name}". List tenants with: tenant list`);
  let intact = true;
  for (const tenant of checked) {
    const { fault, entries, head } = await logs.verifyAuditChain({ tenantId: tenant.id });
    if (fault) intact = false;
    say(
      fault
        ? `${tenant.name}: NOT INTACT. ${fault.reason.text}`
        : `${tenant.name}: intact, ${entries} entries${head ? `, the last has ${head}` : ''}.`,
    );
  }
  return intact;
}
