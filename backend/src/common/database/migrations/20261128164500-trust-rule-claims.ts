import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';

/** Trust rules require further claims. Older code would ignore them and issue tokens to more jobs. */
export class TrustRuleClaims20261128164500 implements MigrationInterface {
  name = 'TrustRuleClaims20261128164500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table oidc_trust_rules add column if not exists claims jsonb not null default '{}'
        check (jsonb_typeof(claims) = 'object');
      drop function if exists trust_rules_of(text, bytea, text, integer);
      create function trust_rules_of(p_issuer text, p_key bytea, p_tenant text, p_most integer)
        returns table (tenant_id uuid, tenant_name text, rule_id uuid, audience text, subject text, claims jsonb)
        language plpgsql as $$
        declare d record;
        begin
          for d in
            select a.tenant_id as id, t.name from auth_directory a join tenants t on t.id = a.tenant_id
              where a.kind = 'oidc_issuer' and a.key = p_key and (p_tenant is null or lower(t.name) = lower(p_tenant))
              order by a.tenant_id limit p_most
          loop
            perform set_config('app.tenant', d.id::text, true);
            return query
              select r.tenant_id, d.name, r.id, r.audience, r.subject, r.claims from oidc_trust_rules r
                where r.tenant_id = d.id and r.issuer = p_issuer and r.enabled;
          end loop;
          perform set_config('app.tenant', '', true);
        end
      $$;
      grant execute on function trust_rules_of(text, bytea, text, integer) to runward_app`);
    await closeToOlderCode(runner, 7);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
