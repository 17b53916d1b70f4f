import {
  LineAssembler,
  type OutputChunk,
  type OutputLimits,
  type OutputStream,
} from '../../src/executions/output/line-assembler.js';
import { listChunkLines } from '../../src/executions/output/output-lines.js';
import type { RunLab } from './run-lab.js';
import type { SeededRandom } from './seeded-random.js';

/** Line of the output of a run. */
export interface StoredLine {
  position: number;
  step: string;
  host: string;
  stream: OutputStream;
  line: number;
  text: string;
}

async function storeChunk(lab: RunLab, id: string, step: number, host: string, chunk: OutputChunk): Promise<void> {
  await lab.runward.database.query(
    `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
      select $1, $2, coalesce(max(seq), 0) + 1, $3, $4, $5, $6, $7, $8, $9, now(), $10 from output_chunks where execution_id = $2`,
    [
      ...[lab.admin.tenantId, id, step, host, chunk.stream === 'stdout' ? 1 : 2],
      ...[chunk.firstLine, chunk.lineCount, chunk.continues, chunk.openEnded, chunk.data],
    ],
  );
}

async function storeDropped(
  lab: RunLab,
  { runId, step, host }: { runId: string; step: number; host: string },
  { droppedBytes, droppedLines, lastHeadLine }: LineAssembler,
): Promise<void> {
  if (droppedBytes === 0) return;
  await lab.runward.database.query(
    `update host_results set dropped_lines = $4, dropped_bytes = $5, dropped_after_line = $6
      where execution_id = $1 and step_index = $2 and server_id = $3`,
    [runId, step, host, droppedLines, droppedBytes, lastHeadLine],
  );
}

const STEPS = ['one', 'two'] as const;

/**
 * Stores output of all hosts in the steps `one` and `two`, written in random parts to both streams, and returns its
 * lines.
 */
export async function storeRandomOutput(
  lab: RunLab,
  random: SeededRandom,
  {
    makeText = () => 'x'.repeat(random.int(9)),
    limits = { headBytes: 1e9, tailBytes: 0 },
  }: { makeText?: () => string; limits?: OutputLimits } = {},
): Promise<{ id: string; lines: StoredLine[] }> {
  const run = await lab.run(STEPS.map((key) => ({ key, command: 'true' })));
  const lines: StoredLine[] = [];
  const open = new Map<string, StoredLine>();
  for (const [index, step] of STEPS.entries()) {
    const assemblers = new Map(lab.servers.map(({ id }) => [id, new LineAssembler(limits)]));
    const keep = async (host: string, chunks: OutputChunk[]) => {
      for (const chunk of chunks) {
        await storeChunk(lab, run.id, index, host, chunk);
        for (const { line, text, continues } of listChunkLines(chunk)) {
          const key = `${step} ${host} ${line}`;
          const begun = continues ? open.get(key) : undefined;
          const added = { position: lines.length + 1, step, host, stream: chunk.stream, line, text };
          if (begun) begun.text += text;
          else lines.push(added);
          open.set(key, begun ?? added);
        }
      }
    };
    for (let round = 0; round < 30; round += 1) {
      const { id } = lab.servers[random.int(lab.servers.length)]!;
      const stream = random.int(3) === 0 ? 'stderr' : 'stdout';
      const text = Array.from({ length: random.int(5) }, () => `${makeText()}${random.int(2) ? '\n' : ''}`);
      assemblers.get(id)?.push(stream, Buffer.from(text.join('')), round * 2_000);
      await keep(id, assemblers.get(id)?.flushDueChunks(round * 2_000 + 1_500) ?? []);
    }
    for (const [id, assembler] of assemblers) {
      await keep(id, assembler.endOutput());
      await storeDropped(lab, { runId: run.id, step: index, host: id }, assembler);
    }
  }
  return { id: run.id, lines };
}
