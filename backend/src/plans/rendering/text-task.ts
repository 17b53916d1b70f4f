import type { CommandFacts, FactNeeds } from './command-facts.ts';
import { findConditionNeeds, evaluateCondition } from './condition.ts';
import { findFilePathNeeds, renderFilePath } from './file-path.ts';
import { findArgumentNeeds, renderArgument } from './render-argument.ts';
import { findCommandNeeds, type CommandName, type CommandValue, renderCommand } from './render-command.ts';
import type { WorkMeter } from './work-meter.ts';

export type TextKind = 'command' | 'argument' | 'path';

export type TextTask =
  | { does: 'needs'; kind: TextKind | 'condition'; text: string; values: readonly CommandName[] }
  | { does: 'render'; kind: TextKind; text: string; values: readonly CommandValue[]; facts?: CommandFacts }
  | { does: 'decide'; text: string; values: readonly CommandValue[]; facts: CommandFacts };

export type TextResult = string | boolean | FactNeeds;

const NEEDS_BY_KIND = {
  command: findCommandNeeds,
  argument: findArgumentNeeds,
  path: findFilePathNeeds,
  condition: findConditionNeeds,
};

/** @throws CommandTemplateError, TooMuchWork */
export function evaluateText(task: TextTask, meter: WorkMeter): TextResult {
  const { text, values } = task;
  if (task.does === 'needs') return NEEDS_BY_KIND[task.kind](text, values, meter);
  if (task.does === 'decide') return evaluateCondition(text, { values: task.values, facts: task.facts }, meter);
  switch (task.kind) {
    case 'command':
      return renderCommand(text, task.values, task.facts, meter);
    case 'argument':
      return renderArgument(text, task.values, task.facts, 'argument', meter);
    case 'path':
      return renderFilePath(text, task.values, task.facts, meter);
  }
}
