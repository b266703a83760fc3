import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The JDK's side of the contest "synchronizers". Reads lines "work n" and answers each with "done" when the work is done;
 * what is measured is the time in between, by whoever asks.
 */
public final class Synchronizers {
  private interface Work {
    void run(int n) throws Exception;
  }

  private interface Turn {
    void take(int turns) throws Exception;
  }

  private static int counter;

  public static void main(String[] args) throws Exception {
    Map<String, Work> works = Map.of(
        "lock", n -> {
          ReentrantLock lock = new ReentrantLock();
          for (int i = 0; i < n; i++) {
            lock.lock();
            counter++;
            lock.unlock();
          }
        },
        "semaphore", n -> {
          Semaphore semaphore = new Semaphore(1);
          for (int i = 0; i < n; i++) {
            semaphore.acquire();
            counter++;
            semaphore.release();
          }
        },
        "contended-lock", n -> {
          ReentrantLock lock = new ReentrantLock();
          byTwo(n, turns -> {
            for (int i = 0; i < turns; i++) {
              lock.lock();
              counter++;
              lock.unlock();
            }
          });
        },
        "contended-semaphore", n -> {
          Semaphore semaphore = new Semaphore(1);
          byTwo(n, turns -> {
            for (int i = 0; i < turns; i++) {
              semaphore.acquire();
              counter++;
              semaphore.release();
            }
          });
        },
        "barrier", n -> {
          CyclicBarrier barrier = new CyclicBarrier(2);
          byTwo(2 * n, turns -> {
            for (int i = 0; i < turns; i++) barrier.await();
          });
        },
        "latch", n -> {
          CountDownLatch[] there = new CountDownLatch[n];
          CountDownLatch[] back = new CountDownLatch[n];
          for (int i = 0; i < n; i++) {
            there[i] = new CountDownLatch(1);
            back[i] = new CountDownLatch(1);
          }
          Thread other = new Thread(() -> {
            try {
              for (int i = 0; i < n; i++) {
                there[i].await();
                back[i].countDown();
              }
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
          other.start();
          for (int i = 0; i < n; i++) {
            there[i].countDown();
            back[i].await();
          }
          other.join();
        });
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      works.get(words[0]).run(Integer.parseInt(words[1]));
      System.out.println("done");
    }
  }

  private static void byTwo(int n, Turn turn) throws Exception {
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> {
        try {
          turn.take(n / 2);
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      });
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
  }
}
