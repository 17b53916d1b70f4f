import { type Command, Argument } from 'commander';
import { EXIT } from '../../exit-codes.ts';
import type { Context } from '../command.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { treeOf } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('Print a completion script for your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
bash:  source <(runward completion bash)      in ~/.bashrc
zsh:   source <(runward completion zsh)       in ~/.zshrc, after compinit
fish:  runward completion fish > ~/.config/fish/completions/runward.fish`,
    )
    .action((shell: keyof typeof SHELLS) => {
      context.surroundings.stdout.write(SHELLS[shell](treeOf(program)));
      context.exit(EXIT.succeeded);
    });
}
