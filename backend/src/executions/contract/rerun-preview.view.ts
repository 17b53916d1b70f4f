import { ApiProperty } from '@nestjs/swagger';
import { MissingResultsView, NamedHostView } from '../../common/http/problem.view.js';

/** A step and some of its hosts. */
export class StepHostsView {
  stepKey: string;
  /** Title of the step; empty = none, use `stepKey`. */
  stepName: string;
  /** Number of hosts. */
  count: number;
  /** Names and IDs of the first 20 hosts. */
  @ApiProperty({ type: [NamedHostView] })
  hosts: NamedHostView[];
}

/** Effect of a rerun on one step; numbers of hosts. */
export class RerunStepView {
  /** Key of the step in the original run. */
  key: string;
  /** Title of the step; empty = none, use `key`. */
  name: string;
  /** The step runs on no host: it precedes the first step of the rerun, or all of its hosts have done it. */
  leftOut: boolean;
  /** Hosts on which it would run, if its conditions are met and a step that it depends on changes. */
  runs: number;
  /** Of these, hosts that had done it before. */
  repeats: number;
  /** Hosts that have done it and would not run it again. */
  done: number;
}

/** Effect of a rerun before it is started. */
export class RerunPreviewView {
  /** Number of hosts on which the rerun would run. */
  hostCount: number;
  /** Digest that the rerun would have. */
  digest: string;
  /** Number of results that it would inherit. */
  inheritedResults: number;
  /** Steps of the original run, in order. */
  @ApiProperty({ type: [RerunStepView] })
  steps: RerunStepView[];
  /** Steps that would run again on hosts that had done them. */
  @ApiProperty({ type: [StepHostsView] })
  repeats: StepHostsView[];
  /** Steps of the original run that would still have no success on some hosts after a successful rerun. */
  @ApiProperty({ type: [StepHostsView] })
  gaps: StepHostsView[];
  /** Missing results that steps need: the start is refused without `acceptGaps`. */
  @ApiProperty({ type: [MissingResultsView] })
  missing: MissingResultsView[];
}
