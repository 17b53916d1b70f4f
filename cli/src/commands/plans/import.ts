import type { Command } from 'commander';
import { PLAN_FORMATS } from '../../../../frontend/src/api/lists.ts';
import { requireAnswer, createIdempotencyHeaders, type Schemas } from '../../client/api.ts';
import { findEnvironment, findPlan } from '../../names/records.ts';
import { readTextArgument } from '../../terminal/files.ts';
import { createChoiceOption, type CommonOptions, type Context, addSubcommand, addSignedInAction } from '../command.ts';

const FORMATS = PLAN_FORMATS.map(({ name }) => name);

interface Options extends CommonOptions {
  plan?: string;
  env?: string;
  format?: Schemas['ImportPlansRequest']['format'];
  message?: string;
  preview?: boolean;
}

export function addPlanImport(parent: Command, context: Context): void {
  const command = addSubcommand(parent, 'import', 'Save a plan from a YAML or JSON file')
    .argument('<file>', '- for standard input')
    .option('--plan <plan>', 'save as this plan, instead of the plan with its name')
    .option('--env <environment>', 'bind new plans to this environment')
    .addOption(createChoiceOption('--format <format>', 'format of the file', FORMATS))
    .option('--message <text>', 'note for the list of revisions')
    .option('--preview', 'preview the changes');
  addSignedInAction<Options>(context, command, async ({ api, out, surroundings }, options, file) => {
    const content = await readTextArgument(file, 'The plan', surroundings);
    const planId = options.plan === undefined ? undefined : (await findPlan(api, options.plan)).id;
    const environmentId = options.env === undefined ? undefined : (await findEnvironment(api, options.env)).id;
    const body = {
      content,
      ...(planId ? { planId } : {}),
      ...(environmentId ? { environmentId } : {}),
      ...(options.format ? { format: options.format } : {}),
      ...(options.message ? { message: options.message } : {}),
      ...(options.preview ? { preview: true } : {}),
    };
    const done = await requireAnswer(api.POST('/api/plans/import', { body, ...createIdempotencyHeaders() }));
    if (out.isStructured) return out.record(done);
    const words = { create: 'new', change: 'changed', leave: 'unchanged' };
    out.table(
      ['plan', done.preview ? 'would be' : 'is', 'revision', 'id'],
      done.plans.map((plan) => [
        plan.name,
        words[plan.action] ?? plan.action,
        plan.revision === null ? null : String(plan.revision),
        plan.planId,
      ]),
    );
    for (const { name, warnings } of done.plans)
      for (const { line, reason } of warnings) out.note(`Warning: ${name}, line ${line}: ${reason.text}`);
    for (const left of done.notCarried)
      out.note(
        `Not carried over from ${left.job}${left.line === null ? '' : `, line ${left.line}`}: ${left.what}. ${left.reason.text}`,
      );
    if (done.moreNotCarried > 0) out.note(`and ${done.moreNotCarried} more not carried over`);
  });
}
