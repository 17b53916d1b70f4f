import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../common/http/if-match.js';
import { Route } from '../common/http/route.js';
import {
  CreateScheduleRequest,
  ListFiresQuery,
  ListSchedulesQuery,
  PreviewScheduleRequest,
  UpdateScheduleRequest,
} from './schedules.dto.js';
import { SchedulesService } from './schedules.service.js';
import { ScheduleFireListView, ScheduleListView, SchedulePreviewView, ScheduleView } from './schedules.view.js';

@ApiTags('Schedules')
@Controller('api/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listSchedules',
    summary: 'List schedules',
    description:
      'Those in environments that the caller sees; by a token that is narrowed to plans those of these plans.',
    answer: ScheduleListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListSchedulesQuery): Promise<ScheduleListView> {
    return this.schedules.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'plan' })
  @Route({ id: 'getSchedule', summary: 'Get a schedule', answer: ScheduleView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    return this.schedules.get(caller, id);
  }

  @Post()
  @Requires('operator', { reach: 'plan' })
  @Route({
    id: 'createSchedule',
    summary: 'Have a plan run by itself at times',
    description:
      'It runs with the rights that the caller has at each time, and no more of them than the token leaves that it is saved with. In a protected environment each run waits for approval like any other run.',
    answer: ScheduleView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateScheduleRequest): Promise<ScheduleView> {
    return this.schedules.create(caller, body);
  }

  @Post('preview')
  @Requires('viewer', { reach: 'plan', access: 'read' })
  @Route({
    id: 'previewSchedule',
    summary: 'Show the next times of a schedule that is not saved',
    description:
      'A fixed time, which has neither `*` nor a step in minute and hour, comes once a day also when clocks change: in a gap at its end, of a repeated hour in the first. Other times follow the clock.',
    answer: SchedulePreviewView,
    problems: [400, 413, 415],
  })
  preview(@Caller() caller: Principal, @Body() body: PreviewScheduleRequest): Promise<SchedulePreviewView> {
    return this.schedules.preview(caller, body);
  }

  @Patch(':id')
  @Requires('operator', { reach: 'plan' })
  @TakesIfMatch()
  @Route({
    id: 'updateSchedule',
    summary: 'Change, pause or resume a schedule',
    description:
      'Whoever changes what runs or when, or resumes it, owns it from then on, and it runs with their rights. Name, note, labels and a pause change no owner.',
    answer: ScheduleView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateScheduleRequest,
    @IfMatch() version: number | null,
  ): Promise<ScheduleView> {
    return this.schedules.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'plan' })
  @TakesIfMatch()
  @Route({
    id: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Runs that it started stay.',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.schedules.delete(caller, id, version);
  }

  @Post(':id/take-over')
  @Requires('operator', { reach: 'plan' })
  @Route({
    id: 'takeOverSchedule',
    summary: 'Have a schedule run with your rights',
    description: 'Says, too, that its plan, scripts and templates are in order as they are now.',
    answer: ScheduleView,
    problems: [404, 409],
  })
  takeOver(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    return this.schedules.takeOver(caller, id);
  }

  @Get(':id/fires')
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'listScheduleFires',
    summary: 'List what came of the times of a schedule, newest first',
    description: 'The last 100 are kept.',
    answer: ScheduleFireListView,
    problems: [400, 404],
  })
  fires(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListFiresQuery,
  ): Promise<ScheduleFireListView> {
    return this.schedules.listFires(caller, id, query);
  }
}
