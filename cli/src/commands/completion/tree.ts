import type { Command } from 'commander';

/** What can be typed after a command, as shells complete it. */
export interface Node {
  /** Words that lead here: `run start`. */
  path: string;
  commands: { name: string; description: string }[];
  options: OptionNode[];
  /** Words that its arguments may be. */
  words: string[];
}

export interface OptionNode {
  flags: string[];
  description: string;
  takesValue: boolean;
  /** What the value may be; empty: anything. */
  words: string[];
  /** The value names a file. */
  file: boolean;
}

const FILES = new Set(['--junit', '--outputs', '--markdown', '--var-file', '--output']);

/** Every command of the program, the program itself first. */
export function treeOf(command: Command, path: readonly string[] = []): Node[] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return [
    {
      path: path.join(' '),
      commands: children.map((child) => ({ name: child.name(), description: child.description() })),
      options: [...command.createHelp().visibleOptions(command)].map((option) => ({
        flags: [option.short, option.long].filter((flag): flag is string => Boolean(flag)),
        description: option.description,
        takesValue: option.required || option.optional,
        words: option.argChoices ?? [],
        file: FILES.has(option.long ?? ''),
      })),
      words: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    },
    ...children.flatMap((child) => treeOf(child, [...path, child.name()])),
  ];
}
