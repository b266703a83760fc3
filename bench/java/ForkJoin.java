import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;

/**
 * The JDK's side of the contest "forkjoin". Reads lines "work n" and answers each with "done" when the work is done; what is
 * measured is the time in between, by whoever asks. The pools are made once and stay.
 */
public final class ForkJoin {
  private static final class Nothing extends RecursiveAction {
    @Override
    protected void compute() {}
  }

  /** Forks so many that do nothing, and joins each. */
  private static final class ForkEach extends RecursiveAction {
    private final int n;

    ForkEach(int n) {
      this.n = n;
    }

    @Override
    protected void compute() {
      for (int i = 0; i < n; i++) {
        Nothing nothing = new Nothing();
        nothing.fork();
        nothing.join();
      }
    }
  }

  /** Divides down to the end. */
  private static final class Fib extends RecursiveTask<Integer> {
    private final int n;
    private final int cutOff;

    Fib(int n, int cutOff) {
      this.n = n;
      this.cutOff = cutOff;
    }

    @Override
    protected Integer compute() {
      if (n < cutOff) return sequential(n);
      Fib other = new Fib(n - 1, cutOff);
      other.fork();
      return new Fib(n - 2, cutOff).compute() + other.join();
    }

    private static int sequential(int n) {
      return n < 2 ? n : sequential(n - 1) + sequential(n - 2);
    }
  }

  public static void main(String[] args) throws Exception {
    ForkJoinPool one = new ForkJoinPool(1);
    ForkJoinPool two = new ForkJoinPool(2);
    Map<String, java.util.function.IntConsumer> works = Map.of(
        "fork-1", n -> one.invoke(new ForkEach(n)),
        "fork-2", n -> two.invoke(new ForkEach(n)),
        "fib-1", n -> one.invoke(new Fib(n, 2)),
        "fib-2", n -> two.invoke(new Fib(n, 12)));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      works.get(words[0]).accept(Integer.parseInt(words[1]));
      System.out.println("done");
    }
  }
}
