import type { Command } from 'commander';

export interface CommandNode {
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

const FILE_OPTIONS = new Set(['--junit', '--outputs', '--markdown', '--var-file', '--output']);

export function listCommandNodes(command: Command, path: readonly string[] = []): CommandNode[] {
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
        file: option.argChoices === undefined && FILE_OPTIONS.has(option.long ?? ''),
      })),
      words: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    },
    ...children.flatMap((child) => listCommandNodes(child, [...path, child.name()])),
  ];
}
