import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../common/access/policy.js';
import { Problem } from '../common/errors/problem.js';
import { Route } from '../common/http/route.js';
import { type BuiltFile, readBuiltFile } from './built-file.js';
import { CommandLineView } from './command-line.view.js';

const FILE_NAME = 'runward-client.tgz';

/** TypeScript client that belongs to this version of the service. CI jobs install it before they have a token. */
@ApiTags('Command line')
@Controller('api/clients/typescript')
export class ClientPackageController {
  private loaded: Promise<BuiltFile> | undefined;

  @Get()
  @Public()
  @Route({
    id: 'getTypeScriptClient',
    summary: 'Get the version and checksum of the TypeScript client',
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
    id: 'getTypeScriptClientFile',
    summary: 'Download the TypeScript client',
    description:
      'Package `@runward/client` for Node.js 20 or newer: `npm install https://runward.example.org/api/clients/typescript/runward-client.tgz`. It has the version of the service and needs no other package.',
    answer: null,
    files: [
      {
        media: 'application/gzip',
        size: 'at most 8 MiB; `bytes` of `GET /api/clients/typescript` is the size',
        named: true,
        schema: { type: 'string', format: 'binary' },
      },
    ],
    problems: [404],
    open: true,
  })
  async download(@Res() response: Response): Promise<void> {
    const { content } = await this.load();
    response.attachment(FILE_NAME).type('application/gzip').send(content);
  }

  /** @throws Problem 404 if the installation was built without the client */
  private load(): Promise<BuiltFile> {
    this.loaded ??= readBuiltFile(`client/dist/${FILE_NAME}`).catch((error: NodeJS.ErrnoException) => {
      this.loaded = undefined;
      if (error.code !== 'ENOENT') throw error;
      throw new Problem('client_missing', 'This installation was built without the TypeScript client.');
    });
    return this.loaded;
  }
}
