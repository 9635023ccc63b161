/** Exports traces to an OpenTelemetry collector. OpenTelemetry's packages read their own standard variables. */
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api'
import type { Logger } from 'pino'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from './config.ts'

/** Starts the export if it is configured. Returns a function that sends the last spans and ends the export. */
export async function startTracing({ isTraced }: Config, logger: Logger): Promise<() => Promise<void>> {
  if (!isTraced) return async () => {}
  const [{ AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, { OTLPTraceExporter }, resources, sdk] =
    await Promise.all([
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
    ])
  const { resourceFromAttributes, detectResources, envDetector } = resources
  const warn = (text: string, ...details: unknown[]) =>
    logger.warn({ details: details.map(String) }, `tracing: ${text}`)
  const silent = () => {}
  const log = { error: warn, warn, info: silent, debug: silent, verbose: silent }
  diag.setLogger(log, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': packageJson.name,
      'service.version': packageJson.version,
      'process.pid': process.pid,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown().catch((error: unknown) => warn('the last spans were not sent', error))
}
