import { Injectable } from '@nestjs/common';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { findHostAddressFault } from '../../common/network/host-address.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { listTenantNames } from '../../tenancy/directory/tenants.js';

const MAX_NAMED_DUPLICATES = 20;

interface DuplicateAddresses {
  environment: string;
  names: string[];
}

/** Finds servers that earlier versions accepted but runs refuse, for the log at API start. */
@Injectable()
export class AddressReport {
  constructor(private readonly units: UnitOfWork) {}

  /** Returns one line for each machine that is registered twice and for each invalid address, up to a limit. */
  async listReportLines(): Promise<string[]> {
    const tenants = await this.units.runWithoutTenant((tx) => listTenantNames(tx));
    const lines: string[] = [];
    for (const tenant of tenants) lines.push(...(await this.listLinesOfTenant(tenant)));
    const more = lines.length - MAX_NAMED_DUPLICATES;
    return more > 0 ? [...lines.slice(0, MAX_NAMED_DUPLICATES), `${more} more servers have such problems.`] : lines;
  }

  private listLinesOfTenant({ id, name }: { id: string; name: string }): Promise<string[]> {
    return this.units.run(id, async (tx) => {
      const doubles = await rows(
        tx,
        sql<DuplicateAddresses>`select e.name as environment, array_agg(s.name order by s.id) as names
          from servers s join ${ENVIRONMENTS_SQL} e on e.tenant_id = s.tenant_id and e.id = s.environment_id
          where s.tenant_id = ${id} and (s.environment_id, canonical_address(s.hostname), s.port, s.username) in (
            select environment_id, canonical_address(hostname), port, username from servers
              where tenant_id = ${id} and known_double)
          group by e.name, canonical_address(s.hostname), s.port, s.username having count(*) > 1 order by 1, 2`,
      );
      const odd = await rows(
        tx,
        sql<{ name: string; hostname: string }>`select name, hostname from servers
          where tenant_id = ${id} and (hostname ~ '[:%]' or hostname ~ '[[]' or hostname !~ '[A-Za-z_]' or hostname ~ '[.][.]' or hostname ~* '^0x') order by id`,
      );
      return [
        ...doubles.map(
          ({ environment, names }) =>
            `Tenant "${name}", environment "${environment}": ${formatNameList(names)} are one machine with one login. Runs on both are refused. Delete or disable all but one.`,
        ),
        ...odd.flatMap(({ name: server, hostname }) => {
          const fault = findHostAddressFault(hostname);
          return fault ? [`Tenant "${name}", server "${server}": ${fault}. Runs do not reach it; change it.`] : [];
        }),
      ];
    });
  }
}

const formatNameList = (names: readonly string[]): string => names.map((each) => `"${each}"`).join(' and ');
