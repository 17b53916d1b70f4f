import type { Command } from 'commander';
import { toFailure } from '../../client/problems.ts';
import { usage } from '../../terminal/failure.ts';
import { findPlan } from '../../names/records.ts';
import { writeFileAtomically } from '../../terminal/files.ts';
import { toHarmlessLines } from '../../terminal/harmless.ts';
import { type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';

interface Options extends CommonOptions {
  revision?: string;
  output?: string;
}

export function addPlanExport(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'export', 'Write a plan as YAML for `plan import`')
    .argument('<plan>', 'name or id')
    .option('--revision <number>', 'revision to export (default: latest)')
    .option('-o, --output <file>', 'write to a file instead of standard output');
  addSignedInAction<Options>(context, command, async ({ api, connection, out, surroundings }, options, argument) => {
    if (options.revision !== undefined && !/^\d{1,9}$/.test(options.revision))
      throw usage('--revision takes a number.');
    const { id } = await findPlan(api, argument);
    const query = options.revision === undefined ? '' : `?revision=${options.revision}`;
    const response = await connection.send(new Request(`${connection.options.base}/api/plans/${id}/export${query}`));
    const yaml = await response.text();
    if (!response.ok) throw toFailure(response, yaml);
    if (options.output !== undefined)
      return writeFileAtomically(
        options.output,
        surroundings,
        (async function* () {
          yield yaml;
        })(),
      );
    if (out.isStructured) return out.record({ planId: id, yaml });
    out.raw(surroundings.stdout.isTTY ? toHarmlessLines(yaml, false) : yaml);
  });
}
