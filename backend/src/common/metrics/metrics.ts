import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { PRODUCT_VERSION } from '../product-version.js';

/** All metrics of this process. Not the registry of prom-client, which all copies of this module would share. */
const registry = new Registry();
const registers = [registry];

/** Maximum number of pairs of route and status. Further routes are counted as `other`. */
const MAX_ROUTE_SERIES = 800;

export const httpRequests = new Counter({
  name: 'runward_http_requests_total',
  help: 'Requests by route and class of the status.',
  labelNames: ['route', 'status'] as const,
  registers,
});
export const httpSeconds = new Histogram({
  name: 'runward_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the end of its answer, without event streams and waiting requests.',
  labelNames: ['method', 'status'] as const,
  buckets: [0.025, 0.1, 0.25, 1, 2.5, 10],
  registers,
});
export const runsEnded = new Counter({
  name: 'runward_runs_ended_total',
  help: 'Ended runs by status.',
  labelNames: ['status'] as const,
  registers,
});
export const firstCommandSeconds = new Histogram({
  name: 'runward_run_first_command_seconds',
  help: 'Time from the acceptance of a run to its first command, with the time of approvals and planned starts.',
  buckets: [0.25, 0.5, 1, 2.5, 5, 15, 60, 600],
  registers,
});
export const leaseLosses = new Counter({
  name: 'runward_lease_losses_total',
  help: 'Runs and slices that this worker lost to another one.',
  registers,
});
export const hostResults = new Counter({
  name: 'runward_host_results_total',
  help: 'Results of a step on a host by status.',
  labelNames: ['status'] as const,
  registers,
});
export const connectFailures = new Counter({
  name: 'runward_connect_failures_total',
  help: 'Hosts that a step could not connect to, by code.',
  labelNames: ['code'] as const,
  registers,
});
export const outputBytes = new Counter({
  name: 'runward_output_bytes_total',
  help: 'Stored bytes of output.',
  registers,
});
export const workerSlots = new Gauge({
  name: 'runward_worker_slots',
  help: 'Slots for hosts by state: total, used.',
  labelNames: ['state'] as const,
  registers,
});
export const drivenRuns = new Gauge({
  name: 'runward_worker_driven_runs',
  help: 'Runs and slices that this worker drives.',
  registers,
});
export const poolConnections = new Gauge({
  name: 'runward_database_pool_connections',
  help: 'Connections of the pool by state: total, idle. waiting: requests without a connection.',
  labelNames: ['state'] as const,
  registers,
});
const buildInfo = new Gauge({
  name: 'runward_build_info',
  help: 'Number of processes by version.',
  labelNames: ['version'] as const,
  registers,
});

export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Creates a gauge of the whole installation, whose values a `MetricSource` reads. It has no series before. */
export function createInstallationGauge<Label extends string = never>(
  name: `runward_${string}`,
  help: string,
  labelNames: readonly Label[] = [],
): Gauge<Label> {
  const gauge = new Gauge<Label>({ name, help, labelNames: [...labelNames], registers });
  if (labelNames.length === 0) gaugesWithoutLabels.add(gauge);
  clearGauge(gauge);
  return gauge;
}

/** Removes all series. `reset` would keep a gauge without labels at 0. */
export function clearGauge(gauge: Gauge<string>): void {
  gauge.reset();
  if (gaugesWithoutLabels.has(gauge)) gauge.remove();
}

/** `remove` refuses a gauge with labels unless their values are named. */
const gaugesWithoutLabels = new WeakSet<object>();

/** Counts a request of a route with a hard limit of series, so that no client can grow the metrics. */
export function countRequest(route: string, status: string): void {
  const key = `${route} ${status}`;
  const isKnown = routeSeries.has(key);
  if (!isKnown && routeSeries.size < MAX_ROUTE_SERIES) routeSeries.add(key);
  httpRequests.inc({ route: isKnown || routeSeries.has(key) ? route : 'other', status });
}

const routeSeries = new Set<string>();
const scrapeHooks = new Set<() => void>();

/** Calls `update` before each scrape. @returns function that ends it */
export function beforeScrape(update: () => void): () => void {
  scrapeHooks.add(update);
  return () => void scrapeHooks.delete(update);
}

/** Begins to measure this process. Called once, by processes that are scraped. */
export function startProcessMetrics(role: 'api' | 'worker'): void {
  registry.setDefaultLabels({ role });
  buildInfo.set({ version: PRODUCT_VERSION }, 1);
  collectDefaultMetrics({ register: registry });
  // The default is the average of all workers, which hides a blocked one.
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag'))
      Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
}

export function collectProcessMetrics(): Promise<ProcessMetrics> {
  for (const update of scrapeHooks) update();
  return registry.getMetricsAsJSON();
}

/** Renders the metrics of several processes in the text format of Prometheus. Sums series with the same labels. */
export function renderMetrics(processes: readonly ProcessMetrics[]): Promise<string> {
  return AggregatorRegistry.aggregate([...processes]).metrics();
}

/** Adds up the counters and histograms of two processes; drops all other metrics. */
export function mergeCounters(one: ProcessMetrics, other: ProcessMetrics): ProcessMetrics {
  const merged = new Map<string, MetricWithValues>();
  for (const metric of [...one, ...other] as MetricWithValues[]) {
    if (String(metric.type) !== 'counter' && String(metric.type) !== 'histogram') continue;
    const known = merged.get(metric.name);
    const values = new Map(known?.values.map((each) => [toSeriesKey(each), each]));
    for (const each of metric.values) {
      const before = values.get(toSeriesKey(each));
      values.set(toSeriesKey(each), { ...each, value: each.value + (before?.value ?? 0) });
    }
    merged.set(metric.name, { ...metric, values: [...values.values()] });
  }
  return [...merged.values()] as ProcessMetrics;
}

interface SeriesValue {
  value: number;
  labels: Partial<Record<string, string | number>>;
  metricName?: string;
}
type MetricWithValues = Omit<ProcessMetrics[number], 'values'> & { values: SeriesValue[] };

const toSeriesKey = ({ metricName = '', labels }: SeriesValue): string =>
  metricName + JSON.stringify(Object.entries(labels).sort());

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
