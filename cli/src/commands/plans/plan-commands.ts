import type { Command } from 'commander';
import type { Context } from '../command.ts';
import { addPlanExport } from './export.ts';
import { addPlanImport } from './import.ts';
import { addPlanList } from './list.ts';
import { addPlanShow } from './show.ts';

export function addPlans(program: Command, context: Context): void {
  const plans = program.command('plan').description('Plans: ordered steps with declared variables');
  addPlanList(plans, context);
  addPlanShow(plans, context);
  addPlanExport(plans, context);
  addPlanImport(plans, context);
}
