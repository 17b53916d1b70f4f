import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Numbers the output lines of a run in the order of their storage, so that a part of a large output can be read without
 * reading what precedes it. For output that workers of the previous version store, a trigger sets the number.
 */
export class OutputPositions20261128030500 implements MigrationInterface {
  name = 'OutputPositions20261128030500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Number of lines of the run that began in earlier chunks.
      alter table output_chunks add column if not exists run_line bigint;
      update output_chunks c set run_line = n.run_line from (
        select execution_id, seq, sum(line_count) over (partition by execution_id order by seq) - line_count as run_line
          from output_chunks) n
        where n.execution_id = c.execution_id and n.seq = c.seq;

      create or replace function number_output_lines() returns trigger language plpgsql as $$
        begin
          new.run_line := coalesce((select run_line + line_count from public.output_chunks
            where execution_id = new.execution_id and seq < new.seq order by seq desc limit 1), 0);
          return new;
        end
      $$;
      create or replace trigger number_output_lines before insert on output_chunks
        for each row when (new.run_line is null) execute function number_output_lines();
      alter table output_chunks alter column run_line set not null;

      alter table host_results add column if not exists dropped_after_line bigint;
      update host_results r set dropped_after_line = g.after_line from (
        select execution_id, step_index, server_id, min(end_line) as after_line from (
          select *, first_line + greatest(line_count - 1, 0) as end_line, lead(first_line) over (
              partition by execution_id, step_index, server_id order by first_line, seq) as next_line
            from output_chunks) c
          where next_line > end_line + 1 group by execution_id, step_index, server_id) g
        where r.dropped_bytes > 0 and g.execution_id = r.execution_id and g.step_index = r.step_index
          and g.server_id = r.server_id;

      create index if not exists output_chunks_run_line on output_chunks (execution_id, run_line) where line_count > 0;
      create index if not exists output_chunks_step_line on output_chunks (execution_id, step_index, run_line) where line_count > 0;
      create index if not exists output_chunks_line on output_chunks (execution_id, step_index, server_id, first_line, seq);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
