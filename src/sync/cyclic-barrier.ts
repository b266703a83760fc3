export class CyclicBarrier {}
