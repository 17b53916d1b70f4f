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
  declaredRole(): void {}

  @Post('else')
  @Requires('admin')
  unstated(): void {}
}

/** Starts an application with these controllers, and requires their policies like the API does. */
async function boot(...controllers: (new () => object)[]): Promise<RoutePolicies> {
  @Module({ imports: [DiscoveryModule], controllers, providers: [RoutePolicies] })
  class TinyModule implements OnModuleInit {
    constructor(readonly policies: RoutePolicies) {}
    onModuleInit(): void {
      this.policies.requireAll();
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
  it('starts if every route declares its policy, itself or on its controller', async () => {
    const policies = await boot(DeclaredController, WholeController);
    expect(policies.list()).toEqual([
      { handler: 'DeclaredController.open', ofRights: false, policy: { public: true } },
      { handler: 'DeclaredController.change', ofRights: false, policy: { public: false, role: 'operator' } },
      { handler: 'WholeController.read', ofRights: false, policy: { public: false, role: 'admin' } },
    ]);
  });

  it('refuses to start with a route without policy, and names it', async () => {
    await expect(boot(DeclaredController, ForgottenController)).rejects.toThrow(
      'No policy is declared for ForgottenController.change.',
    );
  });

  it('refuses to start with a write of rights without a rule for machines, and names it', async () => {
    await expect(boot(RightsController)).rejects.toThrow(
      'No policy for machines is declared for RightsController.unstated.',
    );
  });
});
