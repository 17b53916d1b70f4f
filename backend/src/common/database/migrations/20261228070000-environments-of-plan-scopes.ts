import type { MigrationInterface, QueryRunner } from 'typeorm';

const SCOPES = [
  { table: 'api_tokens', environments: 'scope_environment_ids', plans: 'scope_plan_ids' },
  { table: 'oidc_trust_rules', environments: 'environment_ids', plans: 'plan_ids' },
];
const READ = [...SCOPES.map(({ table }) => table), 'plans', 'schedules'];
const each = (force: 'force' | 'no force'): string =>
  READ.map((table) => `alter table ${table} ${force} row level security;`).join('\n');

/**
 * Scopes with plans also name environments. Where the environments are missing, a trigger sets them to those of the
 * plans, also for rows of older processes. It removes plans without an environment, unless the scope has no other
 * plans. Such a scope reaches no environment.
 */
const filled = ({ table, environments, plans }: (typeof SCOPES)[number]): string => `
  alter table ${table} drop constraint ${table}_${environments}_check;
  alter table ${table} add constraint ${table}_${environments}_check
    check (cardinality(${environments}) > 0 or ${plans} is not null);
  create function ${table}_environments() returns trigger language plpgsql as $$
  declare bound uuid[];
  begin
    select array_agg(p.id order by p.id), array_agg(distinct p.environment_id) into bound, new.${environments}
      from plans p where p.tenant_id = new.tenant_id and p.id = any (new.${plans}) and p.environment_id is not null;
    new.${plans} := coalesce(bound, new.${plans});
    new.${environments} := coalesce(new.${environments}, '{}');
    return new;
  end $$;
  create trigger ${table}_environments before insert or update of ${environments}, ${plans} on ${table} for each row
    when (new.${plans} is not null and new.${environments} is null) execute function ${table}_environments();
  update ${table} set ${plans} = ${plans} where ${plans} is not null and ${environments} is null;`;

export class EnvironmentsOfPlanScopes20261228070000 implements MigrationInterface {
  name = 'EnvironmentsOfPlanScopes20261228070000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The owner of the tables is subject to row-level security too, unless it is a superuser.
      ${each('no force')}
      ${SCOPES.map(filled).join('\n')}

      -- A schedule reaches only its own environment.
      update schedules set owner_limits = owner_limits || jsonb_build_object('environmentIds', jsonb_build_array(environment_id))
        where owner_limits ? 'planIds' and not owner_limits ? 'environmentIds';
      ${each('force')}
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
