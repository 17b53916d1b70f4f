import type { Command } from 'commander';
import type { Context } from '../command.ts';
import { addRunApprove, addRunReject } from './approve.ts';
import { addRunCancel } from './cancel.ts';
import { addRunCompare } from './compare.ts';
import { addRunDecide } from './decide.ts';
import { addRunFollow } from './follow.ts';
import { addRunList } from './list.ts';
import { addRunOutput } from './output.ts';
import { addRunRerun } from './rerun.ts';
import { addRunShow } from './show.ts';
import { addRunStart } from './start.ts';
import { addRunMode, addRunPause, addRunPin, addRunResolve, addRunWithdraw } from './steer.ts';

export function addRuns(program: Command, context: Context): void {
  const runs = program.command('run').description('Start, watch, approve and cancel runs');
  const adders = [
    ...[addRunStart, addRunList, addRunShow, addRunFollow, addRunOutput],
    ...[addRunCancel, addRunApprove, addRunReject, addRunWithdraw, addRunDecide, addRunPause, addRunMode],
    ...[addRunResolve, addRunRerun, addRunCompare, addRunPin],
  ];
  for (const add of adders) add(runs, context);
}
