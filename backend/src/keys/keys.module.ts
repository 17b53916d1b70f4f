import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { KeyThreads } from '../transport/keys/key-threads.js';
import { KeyVault } from './key-vault.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { SshKey } from './ssh-key.entity.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([SshKey])],
  controllers: [KeysController],
  providers: [KeysService, KeyVault, KeyThreads],
  exports: [KeyVault],
})
export class KeysModule {}
