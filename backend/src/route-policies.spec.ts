import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type OnModuleInit, Post } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { Public, Requires } from './common/access/policy.js';
import { RoutePolicies } from './route-policies.js';

@Controller('declared')
class DeclaredController {
  @Get()
  @Public()
  open(): void {}

  @Post()
  @Requires('operator')
  change(): void {}

  /** No route, so it needs no policy. */
  helper(): void {}
}

@Controller('whole')
@Requires('admin')
class WholeController {
  @Get()
  read(): void {}
}

@Controller('forgotten')
class ForgottenController {
  @Get()
  @Requires('viewer')
  read(): void {}

  @Post()
  change(): void {}
}

@Controller('api/members')
class RightsController {
  @Get()
  @Requires('admin')
  read(): void {}

  @Post()
  @Requires('admin', { people: true })
  stated(): void {}

  @Post('else')
  @Requires('admin')
  unstated(): void {}
}

/** Boots an application of these controllers, which demands their policies as the API does. */
async function boot(...controllers: (new () => object)[]): Promise<RoutePolicies> {
  @Module({ imports: [DiscoveryModule], controllers, providers: [RoutePolicies] })
  class TinyModule implements OnModuleInit {
    constructor(readonly policies: RoutePolicies) {}
    onModuleInit(): void {
      this.policies.demandAll();
    }
  }
  const app = await NestFactory.create(TinyModule, { logger: false, abortOnError: false });
  try {
    await app.init();
    return app.get(RoutePolicies);
  } finally {
    await app.close();
  }
}

describe('an application', () => {
  it('boots when every route says what it demands, itself or by its controller', async () => {
    const policies = await boot(DeclaredController, WholeController);
    expect(policies.list()).toEqual([
      { handler: 'DeclaredController.open', ofRights: false, policy: { public: true } },
      { handler: 'DeclaredController.change', ofRights: false, policy: { public: false, role: 'operator' } },
      { handler: 'WholeController.read', ofRights: false, policy: { public: false, role: 'admin' } },
    ]);
  });

  it('refuses to boot with a route that does not, and names it', async () => {
    await expect(boot(DeclaredController, ForgottenController)).rejects.toThrow(
      'No policy is declared for ForgottenController.change.',
    );
  });

  it('refuses to boot with a write of rights that does not state whether machines may send it, and names it', async () => {
    await expect(boot(RightsController)).rejects.toThrow(
      'No policy for machines is declared for RightsController.unstated.',
    );
  });
});
