import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EndsOfTokens20261229010000 implements MigrationInterface {
  name = 'EndsOfTokens20261229010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index api_tokens_prefix on api_tokens (tenant_id, prefix);

      -- Why a token is invalid for a run that has not begun: revoked, removed, disabled (its service account) or
      -- expired; null = valid. Expiry does not count for a run that needs a decision by a member.
      create function token_end(p_tenant uuid, p_prefix text, p_execution uuid) returns text language sql stable as $$
        select case
            when k.id is null then 'removed'
            when k.revoked_at is not null then 'revoked'
            when u.kind = 'service_account' and u.disabled_at is not null then 'disabled'
            when k.expires_at <= now() and not exists (
              select from approvals a where a.tenant_id = p_tenant and a.execution_id = p_execution) then 'expired'
          end
          from (values (p_prefix)) as asked (prefix)
            left join api_tokens k on k.tenant_id = p_tenant and k.prefix = asked.prefix
            left join users u on u.tenant_id = p_tenant and u.id = k.user_id
      $$;
      grant execute on function token_end(uuid, text, uuid) to runward_app;

      -- Waiting runs without a started step whose token has ended; empty while the installation is held.
      create function runs_of_ended_tokens(p_limit integer)
      returns table (tenant_id uuid, execution_id uuid)
      language plpgsql as $$
      declare t record;
      begin
        if not installation_acts() then return; end if;
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
              where e.tenant_id = t.id and e.finished_at is null and e.token_prefix is not null
                and e.status in ('PENDING', 'PAUSED')
                and not exists (select from execution_steps s where s.execution_id = e.id and s.started_at is not null)
                and token_end(e.tenant_id, e.token_prefix, e.id) is not null
              order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end $$;
      grant execute on function runs_of_ended_tokens(integer) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
