import type { PlanStep } from '../../../../api/types';

export interface WrittenFileRow {
  path: string;
  owner: string;
  group: string;
  mode: string;
  backup: boolean;
}

export const BLANK_WRITTEN_FILE: WrittenFileRow = { path: '', owner: '', group: '', mode: '', backup: false };

export const readWrittenFile = (step: PlanStep): WrittenFileRow => ({
  path: step.path ?? '',
  owner: step.owner ?? '',
  group: step.group ?? '',
  mode: step.mode ?? '',
  backup: step.backup ?? false,
});

/** @param further optional texts */
export const writeWrittenFile = (
  { path, owner, group, mode, backup }: WrittenFileRow,
  further: Record<string, string>,
) => ({
  path: path.trim(),
  backup,
  ...Object.fromEntries(Object.entries({ owner, group, mode, ...further }).filter(([, value]) => value.trim() !== '')),
});
