import type { Command } from 'commander';
import { requireAnswer, type Schemas } from '../../client/api.ts';
import { findPlan } from '../../names/records.ts';
import { formatTimeWithAge } from '../../terminal/times.ts';
import type { Output } from '../../terminal/output.ts';
import { addFormatOption, type Context, addSubcommand, addSignedInAction } from '../command.ts';
import { printRecord } from '../limit.ts';

export function addPlanShow(parent: Command, context: Context): void {
  const command = addFormatOption(addSubcommand(parent, 'show', 'Show a plan: its variables and steps')).argument(
    '<plan>',
    'name or id',
  );
  addSignedInAction(context, command, async ({ api, out }, _options, argument) => {
    const { id } = await findPlan(api, argument);
    const plan = await requireAnswer(api.GET('/api/plans/{id}', { params: { path: { id } } }));
    printRecord(out, plan, () => printPlan(out, plan));
  });
}

function printPlan(out: Output, plan: Schemas['PlanView']): void {
  out.facts([
    ['Name', plan.name],
    ['Id', plan.id],
    ['Description', plan.description || null],
    ['Revision', `${plan.revision}, ${formatTimeWithAge(plan.updatedAt)}`],
    ['Targets', plan.targets || 'all servers of the environment'],
    ['Modes', plan.allowedModes.length > 0 ? plan.allowedModes.join(', ') : null],
    ['Frozen', plan.frozenBy ? `until ${formatTimeWithAge(plan.frozenBy.until)}: ${plan.frozenBy.reason}` : null],
  ]);
  if (plan.variables.length > 0) {
    out.line();
    out.table(
      ['variable', 'type', 'needed', 'default', 'description'],
      plan.variables.map((variable) => [
        variable.name,
        variable.choices ? `${variable.type}: ${variable.choices.join('|')}` : variable.type,
        variable.required ? 'yes' : 'no',
        variable.default === undefined ? '' : String(variable.default),
        variable.description ?? '',
      ]),
    );
  }
  out.line();
  out.table(
    ['step', 'name'],
    plan.steps.map((step) => [step.key, step.name ?? '']),
  );
}
