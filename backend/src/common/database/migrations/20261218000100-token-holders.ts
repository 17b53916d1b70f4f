import type { MigrationInterface, QueryRunner } from 'typeorm';

const FILLED = ['api_tokens', 'audit_entries', 'executions', 'approvals', 'approval_authors'];
const each = (force: 'force' | 'no force'): string =>
  FILLED.map((table) => `alter table ${table} ${force} row level security;`).join('\n');

/**
 * Members who saw the secret of a token. They count as requesters of a run started with it, so they cannot approve the
 * run.
 */
export class TokenHolders20261218000100 implements MigrationInterface {
  name = 'TokenHolders20261218000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Members who saw its secret, or that of a token that created it. Empty = only a program has it.
      alter table api_tokens add column held_by uuid[] not null default '{}';

      -- Row-level security applies to the owner of the tables too, unless it is a superuser.
      ${each('no force')}

      with recursive made as (
        select k.id, k.tenant_id, k.parent_token_id,
          -- The audit trail names the creator; without an entry, it is the user's own token.
          array_remove(array[coalesce(entry.actor_id, case when not k.exchanged then k.user_id end)], null) as holders
        from api_tokens k left join lateral (
          select a.actor_id from audit_entries a
            where a.tenant_id = k.tenant_id and a.resource_id = k.id and a.action = 'token.create' limit 1) entry on true
      ), lineage as (
        select id, tenant_id, holders from made where parent_token_id is null
        union all
        select child.id, child.tenant_id, child.holders || parent.holders from made child
          join lineage parent on parent.tenant_id = child.tenant_id and parent.id = child.parent_token_id
      )
      update api_tokens k set held_by = array(select distinct unnest(l.holders)) from lineage l
        where l.tenant_id = k.tenant_id and l.id = k.id;

      drop function resolve_token(bytea, text);
      create function resolve_token(p_public_id bytea, p_address text)
      returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea,
        access text, environment_ids uuid[], plan_ids uuid[], machine boolean, held_by uuid[])
      language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'token' and a.key = p_public_id;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        return query
          select k.id, k.tenant_id, t.name, u.id, u.email, u.name, u.role, k.prefix, k.secret_hash,
            k.access, k.scope_environment_ids, k.scope_plan_ids, k.exchanged or u.kind = 'service_account', k.held_by
          from api_tokens k
          join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
          join tenants t on t.id = k.tenant_id
          where k.id = d.record_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
            and u.disabled_at is null;
      end $$;
      grant execute on function resolve_token(bytea, text) to runward_app;

      -- Members who count as requesters beside the starter: [{userId, kind, name}]. Stored with the run, because tokens
      -- are deleted.
      alter table executions add column askers jsonb;
      alter table approval_authors drop constraint approval_authors_kind_check;
      alter table approval_authors add constraint approval_authors_kind_check
        check (kind in ('plan', 'script', 'template', 'token', 'schedule', 'schedule_token'));

      update executions e set askers = held.askers from (
          select e.id, jsonb_agg(distinct jsonb_build_object('userId', member, 'kind', 'token', 'name', e.token_prefix)) as askers
            from executions e
            join api_tokens k on k.tenant_id = e.tenant_id and k.user_id = e.started_by and k.prefix = e.token_prefix
            cross join unnest(k.held_by) as member
            where e.started_via = 'token' and e.finished_at is null and member <> e.started_by
            group by e.id) held
        where e.id = held.id;
      insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision)
        select a.tenant_id, a.execution_id, a.round, x."userId", x.kind, x.name, null
          from approvals a join executions e on e.tenant_id = a.tenant_id and e.id = a.execution_id
          cross join jsonb_to_recordset(e.askers) as x ("userId" uuid, kind text, name text)
          where a.state = 'pending'
        on conflict do nothing;
      ${each('force')}
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
