import type { Command } from 'commander';

export interface Node {
  path: string;
  commands: { name: string; description: string }[];
  options: OptionNode[];
  words: string[];
}

export interface OptionNode {
  flags: string[];
  description: string;
  takesValue: boolean;
  /** Possible values of the option; empty = any value. */
  words: string[];
  file: boolean;
}

const FILES = new Set(['--junit', '--outputs', '--markdown', '--var-file', '--output']);

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
