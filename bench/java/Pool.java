import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The JDK's side of the contests "platform-burst" and "platform-round-trip". Reads lines "work n" and answers each with "done" when
 * the work is done; what is measured is the time in between, by whoever asks. The pool is made once and stays.
 */
public final class Pool {
  private interface Work {
    long run(int n) throws Exception;
  }

  private static int add(int a, int b) {
    return a + b;
  }

  public static void main(String[] args) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    });
    Map<String, Work> works = Map.of(
        "burst", n -> {
          List<Future<Integer>> futures = new ArrayList<>(n);
          for (int i = 0; i < n; i++) {
            int a = i;
            futures.add(pool.submit(() -> add(a, 1)));
          }
          long total = 0;
          for (Future<Integer> future : futures) total += future.get();
          return total;
        },
        "round-trip", n -> {
          long total = 0;
          for (int i = 0; i < n; i++) {
            int a = i;
            total += pool.submit(() -> add(a, 1)).get();
          }
          return total;
        });
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      int n = Integer.parseInt(words[1]);
      long expected = (long) n * (n - 1) / 2 + n;
      long total = works.get(words[0]).run(n);
      if (total != expected) throw new IllegalStateException("Expected " + expected + ", got " + total);
      System.out.println("done");
    }
  }
}
