import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/access/policy.js';
import { Problem } from '../common/errors/problem.js';
import { Route } from '../common/http/route.js';
import { type BuiltFile, readBuiltFile } from './built-file.js';
import { CommandLineView } from './command-line.view.js';

const FILE_NAME = 'runward.mjs';
const FILE = `cli/dist/${FILE_NAME}`;

/** Command line that belongs to this version of the service. CI jobs load it before they have a token. */
@ApiTags('Command line')
@Controller('api/cli')
export class CommandLineController {
  private loaded: Promise<BuiltFile> | undefined;

  @Get()
  @Public()
  @Route({
    id: 'getCommandLine',
    summary: 'Get the version and checksum of the command line',
    answer: CommandLineView,
    problems: [404],
    open: true,
  })
  async get(): Promise<CommandLineView> {
    const { release, sha256, bytes } = await this.load();
    return { release, sha256, bytes };
  }

  @Get(FILE_NAME)
  @Public()
  @Route({
    id: 'getCommandLineFile',
    summary: 'Download the command line',
    description:
      'One file that needs only Node.js 20 or newer: `curl -fsSO https://runward.example.org/api/cli/runward.mjs`, then `node runward.mjs --help`. It has the version of the service.',
    answer: null,
    files: [{ media: 'text/javascript', size: 'at most 8 MiB; `bytes` of `GET /api/cli` is the size', named: true }],
    problems: [404],
    open: true,
  })
  async download(@Res() response: Response): Promise<void> {
    const { content } = await this.load();
    response.attachment(FILE_NAME).type('text/javascript').send(content);
  }

  @Get(`${FILE_NAME}.sha256`)
  @Public()
  @Route({
    id: 'getCommandLineChecksum',
    summary: 'Download the checksum of the command line',
    description: 'Line for `sha256sum --check`.',
    answer: null,
    files: [{ media: 'text/plain', size: 'at most 1 KiB' }],
    problems: [404],
    open: true,
  })
  async checksum(@Res() response: Response): Promise<void> {
    const { sha256 } = await this.load();
    response.type('text/plain').send(`${sha256}  ${FILE_NAME}\n`);
  }

  /** @throws Problem 404 if the installation was built without the command line */
  private load(): Promise<BuiltFile> {
    this.loaded ??= readBuiltFile(FILE).catch((error: NodeJS.ErrnoException) => {
      this.loaded = undefined;
      if (error.code !== 'ENOENT') throw error;
      throw new Problem('command_line_missing', 'This installation was built without the command line.');
    });
    return this.loaded;
  }
}
