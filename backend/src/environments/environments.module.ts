import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { Environment } from './environment.entity.js';
import { EnvironmentReader } from './environment.reader.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsService } from './environments.service.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Environment])],
  controllers: [EnvironmentsController],
  providers: [EnvironmentsService, EnvironmentReader],
  exports: [EnvironmentReader],
})
export class EnvironmentsModule {}
