import { defer, EMPTY, finalize, mergeMap, Subject, Subscription, takeUntil, type Observable } from "rxjs";

/** Work under way, known by id: at most `concurrency` at once, the rest in line. */
export interface ToolJobs<T> {
  /** Whether anything is noted, waiting or running. */
  readonly busy: boolean;
  /** Notes a job before it starts, so that an end does not overtake it. */
  note(id: string): void;
  /** Starts a noted job, or puts it in line; nothing when it was dropped meanwhile. */
  start(id: string, work: Observable<T>): void;
  /** Drops one job: its work is unsubscribed, or never started. */
  drop(id: string): void;
  /** Drops all, at once. */
  clear(): void;
}

/** Who hears of the jobs. */
export interface ToolJobsListener<T> {
  next(value: T): void;
  /** A job's work failed; the others go on unless they are cleared. */
  error(error: unknown): void;
  /** The last job is done; not called for jobs that are dropped or cleared. */
  idle(): void;
}

/** Runs jobs as they come, synchronously where their work is. */
export function createToolJobs<T>(listener: ToolJobsListener<T>, concurrency = Infinity): ToolJobs<T> {
  const noted = new Map<string, Subject<void>>();
  let line = new Subject<Observable<T>>();
  let running = Subscription.EMPTY;

  // The one place that subscribes to tools: they start when their call ends, not when someone asks for them.
  function open(): void {
    line = new Subject();
    running = line
      .pipe(mergeMap((work) => work, concurrency))
      .subscribe({ next: (value) => listener.next(value), error: (error: unknown) => listener.error(error) });
  }

  function forget(id: string, job: Subject<void>): boolean {
    return noted.get(id) === job && noted.delete(id);
  }

  return {
    get busy() {
      return noted.size > 0;
    },
    note: (id) => void noted.set(id, new Subject()),
    start(id, work) {
      const job = noted.get(id);
      if (!job) return;
      if (running.closed) open();
      line.next(
        defer(() => (noted.get(id) === job ? work : EMPTY)).pipe(
          takeUntil(job),
          finalize(() => {
            if (forget(id, job) && noted.size === 0) listener.idle();
          }),
        ),
      );
    },
    drop(id) {
      const job = noted.get(id);
      if (!job) return;
      noted.delete(id);
      job.next();
    },
    clear() {
      noted.clear();
      running.unsubscribe();
    },
  };
}
