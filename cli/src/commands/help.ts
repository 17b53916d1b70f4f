import type { Command } from 'commander';
import { findNearestNames } from '../names/nearest.ts';
import { usage } from '../terminal/failure.ts';

/** Adds `help run start`, which is the help of `run start`. */
export function addHelp(program: Command): void {
  program
    .command('help')
    .description('Show the help of a command')
    .argument('[command...]', 'command, such as run start')
    .action((words: string[]) => {
      let found = program;
      for (const word of words) {
        const next = found.commands.find((each) => each.name() === word);
        if (next === undefined) throw unknownCommand(found, word);
        found = next;
      }
      found.outputHelp();
    });
}

function unknownCommand(parent: Command, word: string): Error {
  const near = findNearestNames(
    word,
    parent.commands.map((each) => each.name()),
  );
  return usage(`There is no command "${word}".`, near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []);
}
