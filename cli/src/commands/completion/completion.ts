import { type Command, Argument } from 'commander';
import { EXIT } from '../../terminal/exit-codes.ts';
import type { Context } from '../command.ts';
import { createBashCompletion } from './bash.ts';
import { createFishCompletion } from './fish.ts';
import { listCommandNodes } from './tree.ts';
import { createZshCompletion } from './zsh.ts';

const SHELLS = { bash: createBashCompletion, zsh: createZshCompletion, fish: createFishCompletion };

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
      context.surroundings.stdout.write(SHELLS[shell](listCommandNodes(program)));
      context.exit(EXIT.succeeded);
    });
}
